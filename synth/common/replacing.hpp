#pragma once
// The renaming of a complete temporary file, and what it keeps of the file that it replaces.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace fpsynth {

/// The mode to create a temporary file with: a file that is replaced may be private, so its
/// successor is private until it has keep_mode().
inline mode_t mode_until_complete(const char* target) {
  struct stat replaced;
  return ::stat(target, &replaced) == 0 ? 0600 : 0666;
}

/// Gives an open file the mode of the regular file that it is to replace, if there is one, and its
/// owner and group as far as the system allows it.
inline void keep_mode(int file, const char* target) {
  struct stat replaced, ours;
  if (::stat(target, &replaced) != 0 || !S_ISREG(replaced.st_mode) || ::fstat(file, &ours) != 0) {
    return;
  }
  mode_t mode = replaced.st_mode & 07777;
  // Only the superuser can change the owner; a group of the user can be kept.
  const bool all = (replaced.st_uid == ours.st_uid && replaced.st_gid == ours.st_gid) ||
                   ::fchown(file, replaced.st_uid, replaced.st_gid) == 0;
  const bool group = all || replaced.st_gid == ours.st_gid ||
                     ::fchown(file, static_cast<uid_t>(-1), replaced.st_gid) == 0;
  // No set-user-ID for a different owner, and for a different group what all others may do.
  if (!group || (!all && replaced.st_uid != ours.st_uid)) mode &= 0777;
  if (!group) mode = (mode & 0707) | ((mode & 0007) << 3);
  // File systems without permissions refuse it.
  [[maybe_unused]] const int ignored = ::fchmod(file, mode);
}

/// Renames a file. Unless `replace`, fails with EEXIST if there is a file of the new name. Returns
/// false if it fails, with the reason in errno.
inline bool give_name(const char* file, const char* name, bool replace) {
  if (replace) return ::rename(file, name) == 0;
#if defined(RENAME_NOREPLACE) && defined(SYS_renameat2)  // glibc has the function since 2.28
  if (::syscall(SYS_renameat2, AT_FDCWD, file, AT_FDCWD, name, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  // Not every system and file system has that, nor links.
  if (::link(file, name) == 0) return ::unlink(file) == 0;
  struct stat there;
  if (errno == EEXIST || ::lstat(name, &there) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(file, name) == 0;
}

}  // namespace fpsynth
