#include "synth/common/directory_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth {
namespace {

constexpr const char* kName = ".lock";

/// Opens the lock file; read-only if it is another user's, which is enough to lock it.
int open_file(const std::filesystem::path& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0666);
  if (file >= 0 || errno != EACCES) return file;
  const int readable = open(path.c_str(), O_RDONLY | kFlags);
  if (readable < 0) errno = EACCES;
  return readable;
}

/// True if an open file still has this name: a process that ends removes its lock file.
bool is_at(int file, const std::filesystem::path& path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string holder(int file) {
  std::array<char, 500> text;
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  std::string line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  line.resize(std::min(line.size(), line.find('\n')));
  return line.empty() ? "another process" : line;
}

void sign(int file, std::string_view purpose) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::string text =
      fmt::format("{}, process {} on {}, since {:%Y-%m-%d %H:%M:%S} UTC\n", purpose, getpid(),
                  host.data(), fmt::gmtime(std::time(nullptr)));
  // The lock works without this text: if the disk is full, only the holder's name is missing.
  if (ftruncate(file, 0) == 0 && pwrite(file, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory, std::string_view purpose)
    : path_(directory / kName) {
  for (;;) {
    file_ = open_file(path_);
    if (file_ < 0 && (errno == EACCES || errno == EROFS || errno == EPERM)) return;
    if (file_ < 0) {
      raise("cannot create {}: {}", path_.string(),
            reason_and_advice(errno, "check the directory, or write elsewhere"));
    }
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) {
      if (is_at(file_, path_)) break;
      close(file_);  // its last holder removed it in between
      continue;
    }
    const int reason = errno;
    const std::string who = holder(file_);
    close(file_);
    if (reason == EWOULDBLOCK) {
      raise("{} is in use by {}; wait for its end, or use another directory", directory.string(),
            who);
    }
    file_ = -1;
    print_error("fpsynth: {} cannot be locked ({}); make sure that nothing else writes to it\n",
                directory.string(), std::strerror(reason));
    return;
  }
  sign(file_, purpose);
}

DirectoryLock::~DirectoryLock() {
  if (file_ < 0) return;
  unlink(path_.c_str());  // before unlocking: afterwards another process may hold it
  close(file_);
}

}  // namespace fpsynth
