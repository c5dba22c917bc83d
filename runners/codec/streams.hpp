#pragma once
// Where bytes come from and go to: mapped files, pipes, memory.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fpsynth::codec {

/// A whole input as one range of memory. Regular files are mapped; pipes, and standard input if it
/// is one, are first copied to a nameless temporary file ($TMPDIR, or else /tmp), since a container
/// states the size and the checksum of its original up front. Movable. The file must not be cut
/// short by others while it is open.
class Input {
 public:
  /// Opens a file, or standard input where `path` is "-". Throws Error naming the file.
  static Input open(const std::string& path);
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();

  std::span<const std::byte> bytes() const { return bytes_; }
  /// The path, or "standard input"; for messages.
  const std::string& name() const { return name_; }

 private:
  Input() = default;
  std::string name_;
  std::span<const std::byte> bytes_;
};

/// Takes bytes from front to back. Every failure throws Error naming the file and the reason.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// All is written and good: a file gets its name now. Without it, files stay as they were.
  virtual void finish() = 0;
};

/// A sink whose written bytes can be changed until finish().
class PatchableSink : public Sink {
 public:
  /// Overwrites bytes already written, at `offset` from the start.
  virtual void patch(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
};

/// Collects in memory.
class MemorySink : public PatchableSink {
 public:
  void write(std::span<const std::byte> bytes) override;
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override;
  void finish() override {}
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// The sink for a path, "-" being standard output. A regular file is written whole or not at all
/// and replaces an existing one, through symbolic links, only if `force`; pipes and devices are
/// written as the bytes come. Throws Error if that cannot be, and if standard output is a terminal.
std::unique_ptr<Sink> open_sink(const std::string& path, bool force);

/// The same; what goes to a pipe or device is held back until finish(), in memory up to 64 MiB and
/// in a nameless temporary file beyond.
std::unique_ptr<PatchableSink> open_patchable_sink(const std::string& path, bool force);

/// Throws UsageError if both paths lead to one regular file.
void refuse_same_file(const std::string& input, const std::string& output);

}  // namespace fpsynth::codec
