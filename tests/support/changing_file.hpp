#pragma once
// A file that changes while it is decoded, at the same moment in every run of a test: the decoder
// itself writes its output into it.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <vector>

namespace fpsynth::tests {

/// A file that is mapped twice. Reading at or after the end of file() ends the program; written()
/// is the same memory, and goes on after the file's end.
class ChangingFile {
 public:
  explicit ChangingFile(const std::vector<std::byte>& bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        pages_((bytes.size() + page_ - 1) / page_ * page_) {
    std::FILE* const file = std::tmpfile();
    if (!file || ftruncate(fileno(file), static_cast<off_t>(2 * pages_)) != 0) {
      throw std::runtime_error("no temporary file");
    }
    read_ = map(file);
    written_ = map(file);
    std::fclose(file);
    if (mprotect(read_ + pages_, pages_, PROT_NONE) != 0) throw std::runtime_error("no guard");
    begin_ = pages_ - bytes.size();
    size_ = bytes.size();
    std::ranges::copy(bytes, written_ + begin_);
  }
  ~ChangingFile() {
    munmap(read_, 2 * pages_);
    munmap(written_, 2 * pages_);
  }
  ChangingFile(const ChangingFile&) = delete;
  ChangingFile& operator=(const ChangingFile&) = delete;

  std::span<const std::byte> file() const { return {read_ + begin_, size_}; }
  /// The bytes from an offset of the file on, and as many after its end as the file has, or more.
  std::span<std::byte> written(std::size_t offset) {
    return {written_ + begin_ + offset, 2 * pages_ - begin_ - offset};
  }

 private:
  std::byte* map(std::FILE* file) const {
    void* const memory =
        mmap(nullptr, 2 * pages_, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory");
    return static_cast<std::byte*>(memory);
  }

  std::size_t page_, pages_, begin_ = 0, size_ = 0;
  std::byte *read_ = nullptr, *written_ = nullptr;
};

}  // namespace fpsynth::tests
