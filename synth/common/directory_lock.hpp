#pragma once
// One writer at a time in a directory of results.

#include <filesystem>
#include <string_view>

namespace fpsynth {

/// Holds a directory against other processes, on this machine and, as far as the file system knows
/// them, on others. It is a lock of the kernel on the file `.lock` in the directory, which ends
/// with the process, however that ends; the file says who holds it and is removed with the lock.
class DirectoryLock {
 public:
  /// `purpose` is what the others are told: "fpsynth search". Throws Error, which says who holds
  /// it, where another one does. A directory that cannot be written to needs no lock and gets none;
  /// where the file system has no locks, a note says so.
  DirectoryLock(const std::filesystem::path& directory, std::string_view purpose);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace fpsynth
