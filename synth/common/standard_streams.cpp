#include "synth/common/standard_streams.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace fpsynth {
namespace {

/// The first failure of write_output_text().
std::atomic<int> first_output_error = 0;
std::atomic<bool> silent = false;

/// Blocks SIGPIPE in this thread and discards one that was raised in the scope.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigset_t pending;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once = {};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

}  // namespace

void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is the stream's. The access mode is the opposite
    // of the stream's, so that its use stays an error.
    ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void silence_streams() noexcept { silent = true; }

void write_error_text(std::string_view text) noexcept {
  if (silent) return;
  const int error = errno;
  const WithoutSigpipe guard;
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  errno = error;
}

void write_output_text(std::string_view text) noexcept {
  if (silent) return;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (whole && std::fflush(stdout) == 0) return;
  int none = 0;
  first_output_error.compare_exchange_strong(none, errno);
}

int output_error() noexcept {
  errno = 0;
  const bool good = std::fflush(stdout) == 0 && !std::ferror(stdout);
  if (const int first = first_output_error) return first;
  return good ? 0 : errno != 0 ? errno : EIO;
}

}  // namespace fpsynth
