#pragma once
// Memory that somebody else writes to all the time, as to a mapped file.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <span>

namespace fpsynth::tests {

/// Bytes that another process changes until the end of the scope. (A process, because what threads
/// did here would be a data race.)
class ChangingBytes {
 public:
  explicit ChangingBytes(std::size_t size) {
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    bytes_ = {static_cast<volatile unsigned char*>(memory), size};
    writer_ = fork();
    if (writer_ == 0) {
      for (unsigned char value = 1;; ++value) {
        for (std::size_t at = value; at < size; at += 512) bytes_[at] = value;
      }
    }
    while (bytes_[1] == 0) usleep(100);  // until it writes
  }
  ~ChangingBytes() {
    if (writer_ > 0) {
      kill(writer_, SIGKILL);
      waitpid(writer_, nullptr, 0);
    }
    if (!bytes_.empty()) munmap(const_cast<unsigned char*>(bytes_.data()), bytes_.size());
  }
  ChangingBytes(const ChangingBytes&) = delete;
  ChangingBytes& operator=(const ChangingBytes&) = delete;

  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(const_cast<unsigned char*>(bytes_.data())),
            bytes_.size()};
  }

 private:
  std::span<volatile unsigned char> bytes_;
  pid_t writer_ = -1;
};

}  // namespace fpsynth::tests
