#pragma once
// Inputs and outputs of bytes: mapped files, pipes, memory.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "synth/common/mapped_file.hpp"

namespace fpsynth::codec {

/// A whole input as one range of memory. Regular files are mapped. Pipes, including standard input,
/// are first copied to a nameless temporary file (in $TMPDIR or /tmp), because a container states
/// the size and the checksum of its original before the data. Movable. check_unchanged() detects
/// that another program wrote to the file; use while_unchanged() (synth/common/mapped_file.hpp).
class Input {
 public:
  /// Checks the first kChecked bytes of an input, or all if there are fewer. Throws Error if the
  /// input is not of the expected kind.
  using Check = std::function<void(std::span<const std::byte> beginning, std::string_view name)>;
  static constexpr std::size_t kChecked = 4096;

  /// Opens a file, or standard input if `path` is "-". Throws Error naming the file; devices and
  /// terminals are errors too. Throws what `check` throws, before the rest is read.
  static Input open(const std::string& path, const Check& check = {});
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();

  std::span<const std::byte> bytes() const {
    return file_ ? file_->bytes() : std::span<const std::byte>();
  }
  /// The path, or "standard input"; for messages.
  const std::string& name() const { return name_; }
  /// Throws Error if the file became shorter, or was written to, since it was opened.
  void check_unchanged() const;

 private:
  Input() = default;
  std::string name_;
  std::unique_ptr<const MappedFile> file_;  ///< null if the input is empty
};

/// Receives bytes in order. Every failure throws Error naming the file and the reason.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// Completes the output: a file gets its name now. Without this call, existing files stay
  /// unchanged.
  virtual void finish() = 0;
};

/// A sink whose written bytes can be changed until finish().
class PatchableSink : public Sink {
 public:
  /// Overwrites bytes already written, at `offset` from the start.
  virtual void patch(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
};

/// Reserves memory for `capacity` bytes of output, in huge pages where the system has them and
/// there are many: the first writes to new pages, which the kernel clears one by one, otherwise
/// take as long as a pipeline, and on one thread. Contents stay.
void reserve_output(std::vector<std::byte>& bytes, std::size_t capacity);

/// Memory that is written as a whole before it is read: not filled with zeros, unlike a vector's,
/// and in huge pages like that of reserve_output().
class LargeBuffer {
 public:
  explicit LargeBuffer(std::size_t bytes);
  std::span<std::byte> bytes() { return {memory_.get(), bytes_}; }
  std::span<const std::byte> bytes() const { return {memory_.get(), bytes_}; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_;
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

/// Compares what is written with an original as it arrives, without storing it.
class ComparingSink : public Sink {
 public:
  explicit ComparingSink(std::span<const std::byte> original) : left_(original) {}
  void write(std::span<const std::byte> bytes) override;
  void finish() override {}
  /// True if exactly the original has been written.
  bool same() const { return same_ && left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool same_ = true;
};

/// The sink for a path; "-" is standard output. A regular file is written completely or not at all,
/// and replaces an existing file only if `force`; if the path is a symbolic link, the file that it
/// points to is replaced. Pipes and devices are written as the bytes come. Throws Error if the path
/// cannot be written, and if standard output is a terminal.
std::unique_ptr<Sink> open_sink(const std::string& path, bool force);

/// The same, but output to a pipe or device is held back until finish(): up to 64 MiB in memory,
/// more in a nameless temporary file.
std::unique_ptr<PatchableSink> open_patchable_sink(const std::string& path, bool force);

/// The regular file that is written for a path, which need not exist: that to which a symbolic link
/// leads. Nothing for pipes and devices. Throws Error if there is one and not `force`, and if the
/// path cannot be written.
std::optional<std::filesystem::path> file_to_write(const std::string& path, bool force);

/// True if a path, which need not exist, leads into a folder.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Throws UsageError if both paths lead to one regular file, or the output to a file in `input`, a
/// folder, or to one that a link in it names.
void refuse_same_file(const std::string& input, const std::string& output);

}  // namespace fpsynth::codec
