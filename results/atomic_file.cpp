#include "results/atomic_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "synth/error.hpp"

namespace fpsynth::results {

AtomicFile::AtomicFile(std::filesystem::path target)
    : target_(std::move(target)),
      temporary_(fmt::format("{}.{}.tmp", target_.string(), getpid())),
      file_(std::fopen(temporary_.c_str(), "wbx")) {
  if (!file_) fail("create");
}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::fail(std::string_view doing) {
  const int error = errno;
  throw Error(fmt::format("cannot {} {}: {}; {}", doing, target_.string(), std::strerror(error),
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
    fail("rename a finished file to");
  }
}

}  // namespace fpsynth::results
