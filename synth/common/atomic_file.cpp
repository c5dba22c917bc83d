#include "synth/common/atomic_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "synth/common/error.hpp"

namespace fpsynth {
namespace {

/// Names of the temporary files that are being written, for the signal handler. Free slots are
/// null. The names are owned by the AtomicFile objects.
std::atomic<const char*> unfinished_files[16];

void replace(const char* from, const char* to) {
  for (auto& slot : unfinished_files) {
    const char* expected = from;
    if (slot.compare_exchange_strong(expected, to)) return;
  }
}

extern "C" void remove_and_end(int signal) {
  for (auto& slot : unfinished_files) {
    if (const char* const name = slot.load()) unlink(name);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void remove_temporary_files_on_signals() { handle_ending_signals(remove_and_end); }

void handle_ending_signals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Signals that nohup or a background shell set to be ignored stay ignored.
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

AtomicFile::AtomicFile(std::filesystem::path target)
    : target_(std::move(target)),
      temporary_(fmt::format("{}.{}.tmp", target_.string(), getpid())),
      file_(std::fopen(temporary_.c_str(), "wbx")) {
  if (!file_) fail("create");
  replace(nullptr, temporary_.c_str());
}

AtomicFile::~AtomicFile() {
  replace(temporary_.c_str(), nullptr);
  if (!file_) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::fail(std::string_view action) {
  const int error = errno;
  throw Error(fmt::format("cannot {} {}: {}; {}", action, target_.string(), std::strerror(error),
                          error == ENOSPC ? "free some space or write elsewhere"
                                          : "check the directory and its permissions"));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail("write");
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::patch(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0) fail("write");
  write(bytes);
  if (fseeko(file_, 0, SEEK_END) != 0) fail("write");
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail("write");
  std::FILE* file = std::exchange(file_, nullptr);
  std::error_code error;
  if (std::fclose(file) != 0) {
    const int reason = errno;
    std::filesystem::remove(temporary_, error);
    errno = reason;
    fail("write");
  }
  std::filesystem::rename(temporary_, target_, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    errno = error.value();
    fail("rename the complete temporary file to");
  }
}

void write_whole(const std::filesystem::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

}  // namespace fpsynth
