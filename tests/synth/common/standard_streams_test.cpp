#include "synth/common/standard_streams.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace fpsynth {
namespace {

using ::testing::ExitedWithCode;

/// Puts what open() gives in the place of a standard stream.
void replace(int stream, int file) {
  if (file < 0 || dup2(file, stream) != stream) _exit(99);
}

/// The end of a pipe that nobody reads any more.
int without_reader() {
  int ends[2];
  if (pipe(ends) != 0) _exit(99);
  close(ends[0]);
  return ends[1];
}

TEST(StandardError, GetsMessages) {
  EXPECT_EXIT(
      {
        print_error("fpsynth: {} of {}\n", 3, "some");
        _exit(0);
      },
      ExitedWithCode(0), "fpsynth: 3 of some");
}

TEST(StandardError, ThatCannotBeWrittenEndsNothing) {
  EXPECT_EXIT(
      {
        replace(STDERR_FILENO, open("/dev/full", O_WRONLY));
        print_error("lost\n");
        replace(STDERR_FILENO, without_reader());
        print_error("lost\n");
        close(STDERR_FILENO);
        print_error("lost\n");
        _exit(7);
      },
      ExitedWithCode(7), "");
}

TEST(StandardError, WithoutAReaderLeavesOtherSignalsAlone) {
  EXPECT_EXIT(
      {
        replace(STDERR_FILENO, without_reader());
        print_error("lost\n");
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        if (sigismember(&blocked, SIGPIPE)) _exit(1);
        raise(SIGPIPE);
        _exit(2);
      },
      ::testing::KilledBySignal(SIGPIPE), "");
}

TEST(StandardStreams, ThatAreClosedKeepTheirNumbers) {
  EXPECT_EXIT(
      {
        for (const int stream : {0, 1, 2}) close(stream);
        open_closed_streams();
        const int file = open("/dev/null", O_RDWR);
        char byte = 0;
        const bool still_errors = read(0, &byte, 1) < 0 && write(1, &byte, 1) < 0;
        _exit(file > 2 && still_errors ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST(StandardOutput, RemembersThatItCouldNotBeWritten) {
  EXPECT_EXIT(
      {
        write_output_text("a result\n");
        if (output_error() != 0) _exit(1);
        replace(STDOUT_FILENO, open("/dev/full", O_WRONLY));
        write_output_text("a result\n");
        errno = EPERM;
        if (output_error() != ENOSPC) _exit(2);
        _exit(0);
      },
      ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fpsynth
