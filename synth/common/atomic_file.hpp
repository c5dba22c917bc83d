#pragma once
// Output files that are either whole or not there.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

namespace fpsynth {

/// Writes to a temporary name beside the target and renames it in commit(). Without commit(), the
/// destructor removes the temporary file and the target stays as it was. Every failure (a full
/// disk, no permission) throws fpsynth::Error naming the file and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Overwrites bytes already written, at `offset` from the start; the end of the file stays the
  /// place where write() goes on.
  void patch(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Flushes to the disk and takes the target's name.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view doing);
  std::filesystem::path target_, temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes a whole file by way of AtomicFile.
void write_whole(const std::filesystem::path& target, std::string_view text);

/// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files that are being written before they
/// end the program. To be called once, at its start.
void remove_temporary_files_on_signals();

/// Installs a handler for these signals, except for those that the program was told to ignore.
void handle_ending_signals(void (*handler)(int));

}  // namespace fpsynth
