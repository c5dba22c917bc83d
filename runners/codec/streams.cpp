#include "runners/codec/streams.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runners/codec/cpu/huge_pages.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

namespace fs = std::filesystem;

/// Bytes that HeldSink keeps in memory before it uses a temporary file.
constexpr std::size_t kHeldInMemory = std::size_t{64} << 20;

[[noreturn]] void fail(std::string_view doing, std::string_view name, std::string_view advice) {
  const int reason = errno;
  raise("cannot {} {}: {}", doing, name, reason_and_advice(reason, advice));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::size_t read_some(int fd, std::span<std::byte> into, std::string_view name,
                      std::string_view advice = "check that it is a file or a pipe") {
  for (;;) {
    const ssize_t got = ::read(fd, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail("read", name, advice);
  }
}

void write_all(int fd, std::span<const std::byte> bytes, std::string_view name,
               std::string_view advice = "check the reading program or the device") {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    } else if (errno != EINTR) {
      fail("write", name, advice);
    }
  }
}

constexpr std::string_view kTemporary = "a temporary file (TMPDIR)";
constexpr std::string_view kSetTmpdir = "set TMPDIR to another directory";

/// A file without a name, which the system deletes when it is closed.
Descriptor temporary_file() {
  const char* directory = std::getenv("TMPDIR");
  if (!directory || !*directory) directory = "/tmp";
  const int nameless = ::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (nameless >= 0) return Descriptor(nameless);
  // Not every file system has that.
  std::string name = fmt::format("{}/fpsynth-XXXXXX", directory);
  const SignalsHeld while_it_has_a_name;
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) fail("create a temporary file", name, kSetTmpdir);
  ::unlink(name.c_str());
  return Descriptor(fd);
}

/// A file with at least one byte, in memory.
std::unique_ptr<const MappedFile> map(Descriptor fd, const std::string& name) {
  auto file = std::make_unique<const MappedFile>(fd.release(), name);
  const std::span<const std::byte> bytes = file->bytes();
  ::madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_SEQUENTIAL);
  return file;
}

/// Throws Error for character devices other than /dev/null, because most never end.
void refuse_device(const struct stat& status, const std::string& name) {
  if (!S_ISCHR(status.st_mode) || status.st_rdev == makedev(1, 3)) return;  // /dev/null is empty
  raise("cannot read {}: it is a device or a terminal; name a file or a pipe", name);
}

/// Reads until the buffer is full or the input ends.
std::size_t read_full(int fd, std::span<std::byte> into, std::string_view name) {
  std::size_t all = 0;
  while (all < into.size()) {
    const std::size_t got = read_some(fd, into.subspan(all), name);
    if (got == 0) break;
    all += got;
  }
  return all;
}

/// Writes bytes as soon as they come.
class StreamSink : public Sink {
 public:
  StreamSink(Descriptor fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}
  void write(std::span<const std::byte> bytes) override { write_all(fd_.get(), bytes, name_); }
  void finish() override {}

 private:
  Descriptor fd_;
  std::string name_;
};

/// Holds back what will be written to another sink until finish().
class HeldSink : public PatchableSink {
 public:
  explicit HeldSink(std::unique_ptr<Sink> target) : target_(std::move(target)) {}

  void write(std::span<const std::byte> bytes) override {
    if (!file_ && memory_.bytes().size() + bytes.size() <= kHeldInMemory) {
      memory_.write(bytes);
      return;
    }
    if (!file_) {
      file_ = std::make_unique<Descriptor>(temporary_file());
      write_all(file_->get(), memory_.bytes(), kTemporary, kSetTmpdir);
      memory_ = {};
    }
    write_all(file_->get(), bytes, kTemporary, kSetTmpdir);
  }

  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!file_) return memory_.patch(offset, bytes);
    while (!bytes.empty()) {
      const ssize_t put =
          ::pwrite(file_->get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail("write", kTemporary, kSetTmpdir);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
  }

  void finish() override {
    target_->write(memory_.bytes());
    if (file_) {
      std::vector<std::byte> buffer(std::size_t{1} << 20);
      if (::lseek(file_->get(), 0, SEEK_SET) != 0) fail("read", kTemporary, kSetTmpdir);
      while (const std::size_t got = read_some(file_->get(), buffer, kTemporary, kSetTmpdir)) {
        target_->write(std::span(buffer).first(got));
      }
    }
    target_->finish();
  }

 private:
  std::unique_ptr<Sink> target_;
  MemorySink memory_;
  std::unique_ptr<Descriptor> file_;
};

class FileSink : public PatchableSink {
 public:
  FileSink(const fs::path& path, bool replace) : file_(path, replace) {}
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override {
    file_.patch(offset, bytes);
  }
  void finish() override { file_.commit(); }

 private:
  AtomicFile file_;
};

/// A regular file's sink, or null if the path is "-", a pipe or a device.
std::unique_ptr<FileSink> open_file(const std::string& path, bool force) {
  if (path == "-") return nullptr;
  const std::optional<fs::path> file = file_to_write(path, force);
  return file ? std::make_unique<FileSink>(*file, force) : nullptr;
}

std::unique_ptr<Sink> open_stream(const std::string& path) {
  if (path == "-") {
    if (::isatty(STDOUT_FILENO)) {
      throw Error("standard output is a terminal; redirect it to a file or pipe, or name a file");
    }
    return std::make_unique<StreamSink>(Descriptor(STDOUT_FILENO), "standard output");
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail("write", path, "check its permissions");
  return std::make_unique<StreamSink>(Descriptor(fd), path);
}

/// True if an entry of a folder, such as a link, is an existing file elsewhere.
bool is_linked_from(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code none;  // entries may vanish, and links lead nowhere
    if (entry->is_regular_file(none) && fs::equivalent(entry->path(), file, none)) return true;
    if (entry->is_symlink(none) && is_below(entry->path(), folder)) {
      entry.disable_recursion_pending();
    }
  }
  return false;
}

}  // namespace

Input::Input(Input&&) noexcept = default;
Input::~Input() = default;

Input Input::open(const std::string& path, const Check& check) {
  Input input;
  const bool standard = path == "-";
  input.name_ = standard ? "standard input" : path;
  Descriptor fd(standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                         : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail("open", input.name_, "check the path");
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) fail("read", input.name_, "check the path");
  if (S_ISDIR(status.st_mode)) {
    raise("cannot read {}: it is a directory; name a file", input.name_);
  }
  refuse_device(status, input.name_);
  // Standard input may be a file that has been read in part already, and files that the system
  // generates when they are read (/proc) have size 0. Neither is mapped.
  if (S_ISREG(status.st_mode) && status.st_size > 0 &&
      (!standard || ::lseek(fd.get(), 0, SEEK_CUR) == 0)) {
    input.file_ = map(std::move(fd), input.name_);
    if (check) check(input.bytes(), input.name_);
    return input;
  }
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::size_t got = read_full(fd.get(), std::span(buffer).first(kChecked), input.name_);
  if (check) check(std::span(buffer).first(got), input.name_);
  if (got == 0) return input;
  Descriptor spool = temporary_file();
  for (; got > 0; got = read_some(fd.get(), buffer, input.name_)) {
    write_all(spool.get(), std::span(buffer).first(got), kTemporary, kSetTmpdir);
  }
  input.file_ = map(std::move(spool), std::string(kTemporary));
  return input;
}

void Input::check_unchanged() const {
  if (file_) file_->check_unchanged();
}

void reserve_output(std::vector<std::byte>& bytes, std::size_t capacity) {
  if (capacity <= bytes.capacity()) return;
  bytes.reserve(capacity);
  wish_huge_pages<LargeBuffer>(bytes.data(), bytes.capacity());
}

LargeBuffer::LargeBuffer(std::size_t bytes) : memory_(new std::byte[bytes]), bytes_(bytes) {
  wish_huge_pages<LargeBuffer>(memory_.get(), bytes);
}

void MemorySink::write(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void MemorySink::patch(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
}

void ComparingSink::write(std::span<const std::byte> bytes) {
  same_ = same_ && bytes.size() <= left_.size() &&
          (bytes.empty() || std::memcmp(bytes.data(), left_.data(), bytes.size()) == 0);
  left_ = left_.subspan(std::min(bytes.size(), left_.size()));
}

std::optional<fs::path> file_to_write(const std::string& path, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    raise("cannot write {}: it is a directory; name a file", path);
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  if (fs::exists(status) && !force) {
    raise("{} exists; give --force to replace it, or another name", path);
  }
  if (!fs::is_symlink(path, error)) return path;
  if (!fs::exists(status)) {
    raise("{} is a symbolic link that leads to no file; remove it, or name another output", path);
  }
  // A rename would replace the link instead of the file that it points to.
  return fs::canonical(path);
}

std::unique_ptr<Sink> open_sink(const std::string& path, bool force) {
  if (auto file = open_file(path, force)) return file;
  return open_stream(path);
}

std::unique_ptr<PatchableSink> open_patchable_sink(const std::string& path, bool force) {
  if (auto file = open_file(path, force)) return file;
  return std::make_unique<HeldSink>(open_stream(path));
}

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const auto canonical = [&](const fs::path& any) {
    return fs::weakly_canonical(fs::absolute(any, error), error);
  };
  const fs::path root = canonical(folder), there = canonical(path);
  return !error &&
         std::mismatch(root.begin(), root.end(), there.begin(), there.end()).first == root.end();
}

void refuse_same_file(const std::string& input, const std::string& output) {
  std::error_code error;
  if (input == "-" || output == "-") return;
  if (fs::is_directory(input, error)) {
    if (!is_below(output, input) && !is_linked_from(input, output)) return;
    raise<UsageError>("{} is a file of {}, the input; name another output", output, input);
  }
  if (fs::is_regular_file(output, error) && fs::equivalent(input, output, error)) {
    raise<UsageError>("{} is both input and output; name another output", input);
  }
}

}  // namespace fpsynth::codec
