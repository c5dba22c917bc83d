#pragma once
// Output files that are either complete or do not exist.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

namespace fpsynth {

/// Writes to a temporary file in the target's directory and renames it in commit(). Without
/// commit(), the destructor removes the temporary file and leaves the target unchanged. Every
/// failure (a full disk, no permission) throws fpsynth::Error, which names the file and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Overwrites bytes already written, at `offset` from the start. write() still appends to the end
  /// of the file.
  void patch(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Flushes the file to the disk and renames it to the target.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view action);
  std::filesystem::path target_, temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes a complete file with AtomicFile.
void write_whole(const std::filesystem::path& target, std::string_view text);

/// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files that are being written before they
/// end the program. Must be called once, at the start of the program.
void remove_temporary_files_on_signals();

/// Installs a handler for these signals, except those that the program inherited as ignored.
void handle_ending_signals(void (*handler)(int));

}  // namespace fpsynth
