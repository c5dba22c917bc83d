#pragma once
// Mapped files that other programs may truncate or overwrite while they are read.

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "synth/common/error.hpp"

namespace fpsynth {

/// Must be called once, at the start of main(). Afterwards, bytes of a MappedFile that cannot be
/// read because its file became shorter or its disk fails are zeros, and check_unchanged() throws.
/// Without this call, reading such bytes ends the program (SIGBUS).
void guard_mapped_files();

/// The addresses of a mapped file, for the signal handler.
struct MappedRegion;

/// All of a regular file, mapped read-only. The file stays open.
class MappedFile {
 public:
  /// Owns the descriptor, which must be of a regular file with at least one byte. Throws Error,
  /// which calls the file `name`.
  MappedFile(int descriptor, std::string name);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Throws Error if the file's size or modification time has changed since it was opened, or if
  /// bytes of it could not be read. Must be called after the last use of bytes() and before the
  /// output that was made from them is finished.
  void check_unchanged() const;

  /// A text that tells the file, as it was when it was opened, from other files and from itself
  /// after it was written to, on one machine.
  std::string version() const;

 private:
  int descriptor_;
  std::string name_;
  std::span<const std::byte> bytes_;
  struct stat opened_;
  MappedRegion* region_;
};

/// Takes the pages of these bytes out of this process's memory, if they are a MappedFile's, and
/// returns whether they are; others stay as they are. What is read of them later is read anew.
bool release_mapped(std::span<const std::byte> bytes);

/// Returns what work() returns. If the input changed during the call, throws the Error of
/// input.check_unchanged(), even if work() threw another one, because the change is its cause.
/// `input`: a MappedFile or a class with the same check_unchanged().
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

/// Throws Error if a mapped file could not be read completely and check_unchanged() was not called
/// afterwards, so that results may be wrong. Must be called at the end of main().
void refuse_unnoticed_losses();

}  // namespace fpsynth
