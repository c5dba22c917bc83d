#include "synth/common/ending_signals.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/files.hpp"

namespace fpsynth {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

TEST(EndingSignals, RemoveTemporaryFilesAndFolders) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGXCPU}) {
    const tests::TemporaryFolder folder;
    tests::write_bytes(folder / "kept", "");
    EXPECT_EXIT(
        {
          prepare_ending_signals();
          std::filesystem::create_directory(folder / "temporary");
          tests::write_bytes(folder / "temporary/file", "");
          const TemporaryName directory(folder / "temporary");
          const TemporaryName file(folder / "temporary/file");
          { const TemporaryName no_more(folder / "kept"); }
          raise(signal);
          _exit(1);
        },
        KilledBySignal(signal), "");
    EXPECT_EQ(tests::files_in(folder.path()), 1u) << signal;
    EXPECT_TRUE(std::filesystem::exists(folder / "kept"));
  }
}

TEST(EndingSignals, ThatAreIgnoredStaySo) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        prepare_ending_signals();
        on_interrupt_call([](int) { _exit(1); });
        raise(SIGHUP);
        _exit(0);
      },
      ExitedWithCode(0), "");
}

TEST(EndingSignals, AreHeldForAWhile) {
  EXPECT_EXIT(
      {
        prepare_ending_signals();
        const SignalsHeld* const held = new SignalsHeld;
        raise(SIGTERM);
        raise(SIGINT);
        if (write(STDERR_FILENO, "alive", 5) != 5) _exit(1);
        delete held;
        _exit(0);
      },
      [](int status) { return WIFSIGNALED(status); }, "alive");
}

TEST(EndingSignals, InterruptsAreHandledOnceAndEndTheNextTime) {
  EXPECT_EXIT(
      {
        prepare_ending_signals();
        on_interrupt_call([](int) { end_on_next_interrupt(); });
        raise(SIGHUP);
        raise(SIGHUP);
        raise(SIGINT);
        _exit(0);
      },
      KilledBySignal(SIGINT), "");
}

TEST(EndingSignals, EndByIsWhatTheShellSees) {
  EXPECT_EXIT(
      {
        on_interrupt_call([](int) {});
        end_by(SIGINT);
      },
      KilledBySignal(SIGINT), "");
}

TEST(EndingSignals, AnExitOfALibraryRemovesFilesAndNamesLimits) {
  const tests::TemporaryFolder folder;
  EXPECT_EXIT(
      {
        prepare_ending_signals();
        tests::write_bytes(folder / "file", "");
        const TemporaryName file(folder / "file");
        std::exit(1);  // as libgomp does where it gets no thread
      },
      ExitedWithCode(1), "ulimit -u");
  EXPECT_EQ(tests::files_in(folder.path()), 0u);
  EXPECT_EXIT(
      {
        prepare_ending_signals();
        ends_by_itself();
        std::exit(0);
      },
      ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace fpsynth
