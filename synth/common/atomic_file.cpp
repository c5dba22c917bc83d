#include "synth/common/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "synth/common/error.hpp"
#include "synth/common/replacing.hpp"
#include "synth/common/words.hpp"

namespace fpsynth {
namespace {

// Temporary files are called .fpsynth-HOST-PID-N.tmp; HOST is a hash of the machine's name, N a
// counter with a random start. The writer holds a lock on its file. A file that another program can
// lock is a leftover of a killed program.
constexpr std::string_view kBefore = ".fpsynth-", kBehind = ".tmp";
/// Locks of other machines may be invisible here, so their files count as leftovers after a day.
constexpr std::time_t kSecondsOfOthers = 24 * 60 * 60;

/// The prefix of temporary names of this machine.
const std::string& our_beginning() {
  static const std::string beginning = [] {
    std::array<char, 256> name = {};
    gethostname(name.data(), name.size() - 1);
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(name.data()));
    return fmt::format("{}{:08x}-", kBefore, hash);
  }();
  return beginning;
}

std::filesystem::path directory_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) return false;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kBehind.size());
  return std::ranges::count(name, '-') == 2 &&
         name.find_first_not_of("0123456789abcdef-") == name.npos;
}

int lock_file(int file, int how) {
  int result;
  while ((result = ::flock(file, how)) != 0 && errno == EINTR) {
  }
  return result;
}

void remove_if_left_behind(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat status;
  const bool ours = path.filename().string().starts_with(our_beginning());
  if (lock_file(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &status) == 0 &&
      S_ISREG(status.st_mode) &&
      (ours || std::time(nullptr) - status.st_mtime > kSecondsOfOthers)) {
    ::unlink(path.c_str());
  }
  ::close(file);
}

/// Searches a directory for leftovers, once per run of the program.
void remove_left_behind(const std::filesystem::path& directory) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> seen;
  const std::lock_guard lock(mutex);
  if (!seen.insert(directory).second) return;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_temporary_name(entry->path().filename().string())) remove_if_left_behind(entry->path());
  }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, bool replace)
    : target_(std::move(target)), replace_(replace) {
  remove_left_behind(directory_of(target_));
  create();
}

void AtomicFile::create() {
  static std::atomic<unsigned> count = [] {
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<unsigned>(now.tv_nsec);
  }();
  const mode_t mode = mode_until_complete(target_.c_str());
  for (;;) {
    temporary_ = directory_of(target_) /
                 fmt::format("{}{:x}-{:x}{}", our_beginning(), getpid(), count++, kBehind);
    registered_.emplace(temporary_.string());
    const int file = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0) {
      registered_.reset();
      if (errno == EEXIST || errno == EINTR) continue;
      fail("create");
    }
    lock_file(file, LOCK_EX);
    struct stat status;
    if (::fstat(file, &status) == 0 && status.st_nlink == 0) {  // removed before it was locked
      ::close(file);
      continue;
    }
    file_ = ::fdopen(file, "wb");
    if (file_) return;
    const int error = errno;
    ::unlink(temporary_.c_str());
    ::close(file);
    registered_.reset();
    errno = error;
    fail("create");
  }
}

AtomicFile::~AtomicFile() { remove(); }

void AtomicFile::remove() noexcept {
  if (!file_) return;
  ::unlink(temporary_.c_str());
  registered_.reset();
  std::fclose(std::exchange(file_, nullptr));
}

void AtomicFile::fail(std::string_view action) {
  const std::string_view advice = errno == EEXIST ? "give --force to replace it, or another name"
                                                  : "check the directory and its permissions";
  throw Error(
      fmt::format("cannot {} {}: {}", action, target_.string(), reason_and_advice(errno, advice)));
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
  if (std::fflush(file_) != 0) fail("write");
  keep_mode(fileno(file_), target_.c_str());
  if (::fsync(fileno(file_)) != 0) fail("write");
  // Closed after the rename, because closing releases the lock.
  if (!give_name(temporary_.c_str(), target_.c_str(), replace_)) {
    const int error = errno;
    remove();
    errno = error;
    fail("rename the complete temporary file to");
  }
  registered_.reset();
  std::fclose(std::exchange(file_, nullptr));
}

void write_whole(const std::filesystem::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

std::filesystem::path create_folder(const std::filesystem::path& folder, std::string_view advice) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot create the folder {}: {}; {}", folder.string(), error.message(),
                            advice));
  }
  return folder;
}

void check_length_of_name(const std::filesystem::path& target) {
  const std::string directory = directory_of(target).string(), name = target.filename().string();
  long most = ::pathconf(directory.c_str(), _PC_NAME_MAX);
  if (most < 0) most = NAME_MAX;
  if (name.size() <= static_cast<std::size_t>(most)) return;
  throw Error(
      fmt::format("cannot create {}: its name has {} bytes, of which {} takes {}; give a "
                  "shorter one",
                  target.string(), name.size(), directory, most));
}

}  // namespace fpsynth
