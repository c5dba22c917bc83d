#pragma once
// Files in memory, which others may cut short or overwrite meanwhile.

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "synth/common/error.hpp"

namespace fpsynth {

/// For main(), once at its start: bytes that a MappedFile has lost, since its file became shorter
/// or its disk fails, are zeros instead of the end of the program (SIGBUS); check_unchanged() then
/// throws. Without this call they end the program.
void guard_mapped_files();

/// Where a mapped file lies, for the signal handler.
struct MappedRegion;

/// All of a regular file, mapped read-only. The file stays open.
class MappedFile {
 public:
  /// Takes over a descriptor, of a regular file that has at least one byte. Throws Error naming the
  /// file by `name`.
  MappedFile(int descriptor, std::string name);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Throws Error if the file's size or its time of change has become another one since it was
  /// opened, or bytes of it could not be read. To be called after the last use of bytes() and
  /// before what was made of them counts.
  void check_unchanged() const;

 private:
  int descriptor_;
  std::string name_;
  std::span<const std::byte> bytes_;
  struct stat opened_;
  MappedRegion* region_;
};

/// Returns what work() returns. If the input changed meanwhile, throws Error that says so, also in
/// the place of what work() threw, of which that is the reason. `input`: a MappedFile or what is
/// made of one, with its check_unchanged().
template <class Input, class Work>
auto while_unchanged(const Input& input, Work work) {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      input.check_unchanged();
    } else {
      auto result = work();
      input.check_unchanged();
      return result;
    }
  } catch (...) {
    input.check_unchanged();
    throw;
  }
}

/// Throws Error for a mapped file that lost bytes without anybody having called check_unchanged()
/// after that: results that were printed from it are wrong. For main(), at its end.
void refuse_unnoticed_losses();

}  // namespace fpsynth
