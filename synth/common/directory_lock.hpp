#pragma once
// One writer at a time in a directory of results.

#include <filesystem>
#include <string_view>

namespace fpsynth {

/// Locks a directory against other processes on this machine and, if the file system supports it,
/// on others. It is a lock of the kernel on the file `.lock` in the directory, and ends with the
/// process in any case. The file names the holder and is removed with the lock.
class DirectoryLock {
 public:
  /// `purpose` names the holder in messages of other processes: "fpsynth search". Throws Error,
  /// which names the holder, if another process holds the lock. A directory that cannot be written
  /// to is not locked. If the file system has no locks, a note says so.
  DirectoryLock(const std::filesystem::path& directory, std::string_view purpose);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace fpsynth
