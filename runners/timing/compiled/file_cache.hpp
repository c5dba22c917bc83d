#pragma once
// A disk cache for code that was compiled at run time, with keys computed from its source.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fpsynth::timing {

/// A cache key: XXH3-128 of several texts and their lengths, as 32 hex digits.
std::string content_key(std::span<const std::string_view> texts);

/// Files DIR/<key><ending>. Each ends with a checksum, so that a damaged file is detected and
/// removed; loaders of shared objects and cubins ignore trailing bytes. Files are complete or do
/// not exist, so that several programs may use one folder.
class FileCache {
 public:
  /// Throws Error if the folder cannot be created.
  explicit FileCache(const std::filesystem::path& folder);
  /// $XDG_CACHE_HOME/fpsynth, or else ~/.cache/fpsynth. Throws Error if neither XDG_CACHE_HOME nor
  /// HOME is set.
  static std::filesystem::path default_folder();

  /// The file if it exists and is undamaged; a damaged one is removed.
  std::optional<std::filesystem::path> find(const std::string& key, std::string_view ending) const;
  /// The file's contents without the checksum; nullopt in the same cases.
  std::optional<std::vector<std::byte>> read(const std::string& key, std::string_view ending) const;
  /// Writes a file with its checksum. Throws Error.
  std::filesystem::path put(const std::string& key, std::string_view ending,
                            std::span<const std::byte> bytes) const;

 private:
  std::filesystem::path path_of(const std::string& key, std::string_view ending) const;
  std::filesystem::path folder_;
};

}  // namespace fpsynth::timing
