#pragma once
// What was compiled at run time, kept on the disk by what it was compiled from.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fpsynth::timing {

/// XXH3-128 of several texts and of where each ends, as 32 hex digits: a key.
std::string content_key(std::span<const std::string_view> texts);

/// Files DIR/<key><ending>. Each ends with a checksum, so that a damaged one is found and thrown
/// away; loaders of shared objects and of cubins do not look behind what they know. Files are whole
/// or not there, so that several programs may use one folder.
class FileCache {
 public:
  /// Throws Error where the folder cannot be made.
  explicit FileCache(std::filesystem::path folder);
  /// $XDG_CACHE_HOME/fpsynth, or else ~/.cache/fpsynth. Throws Error where neither variable is set.
  static std::filesystem::path default_folder();

  /// The file, if it is there and good; a damaged one is removed.
  std::optional<std::filesystem::path> find(const std::string& key, std::string_view ending) const;
  /// The same, without the checksum; nullopt in the same cases.
  std::optional<std::vector<std::byte>> read(const std::string& key, std::string_view ending) const;
  /// Puts a file there, its checksum behind it. Throws Error.
  std::filesystem::path put(const std::string& key, std::string_view ending,
                            std::span<const std::byte> bytes) const;

 private:
  std::filesystem::path path_of(const std::string& key, std::string_view ending) const;
  std::filesystem::path folder_;
};

}  // namespace fpsynth::timing
