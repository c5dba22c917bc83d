#pragma once
// Output files that are either complete or do not exist.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "synth/common/ending_signals.hpp"

namespace fpsynth {

/// Writes to a temporary file in the target's directory and renames it in commit(). Without
/// commit(), the destructor removes the temporary file and leaves the target unchanged. Signals
/// that end the program do the same (ending_signals.hpp). Temporary files of killed programs are
/// removed by the next program that writes to the directory. The new file gets the permissions of
/// the file that it replaces and, if the system allows it, the owner. Every failure (a full disk,
/// no permission) throws fpsynth::Error, which names the file and the reason. Unless `replace`, a
/// file that has the target's name at commit() is such a failure, and stays.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target, bool replace = true);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Overwrites bytes already written, at `offset` from the start. write() still appends to the end
  /// of the file.
  void patch(std::uint64_t offset, std::span<const std::byte> bytes);
  /// The temporary file, which is locked (flock), for another program that writes it in its place.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Flushes the file to the disk and renames it to the target.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view action);
  void create();
  void remove() noexcept;

  std::filesystem::path target_, temporary_;
  bool replace_;
  std::optional<TemporaryName> registered_;
  std::FILE* file_ = nullptr;
};

/// Writes a complete file with AtomicFile.
void write_whole(const std::filesystem::path& target, std::string_view text);

/// Creates a folder and those above it, and returns it. Throws Error, whose message ends with
/// `advice`: "name another one with --dir".
std::filesystem::path create_folder(const std::filesystem::path& folder, std::string_view advice);

/// Throws Error if the name of a file is longer than its directory allows. To be called before long
/// work whose result is written to the file.
void check_length_of_name(const std::filesystem::path& target);

}  // namespace fpsynth
