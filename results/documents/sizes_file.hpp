#pragma once
// The sizes of a document's pipelines in a file beside it: for spaces whose documents would be long
// as text. results/README.md says what is in it, byte by byte.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fpsynth::results {

/// Documents of more pipelines than this have their sizes beside them.
inline constexpr std::uint64_t kMostSizesInDocument = std::uint64_t{1} << 20;

/// A file of sizes as its document names it.
struct SizesFile {
  std::string name;         ///< without a folder, which is that of the document
  std::string xxh3;         ///< of its content: 16 lower-case hex digits, which the name also has
  std::uint64_t bytes = 0;  ///< of the file

  static void list(auto& fields, auto& file) {
    fields.some("file", file.name);
    fields.some("xxh3", file.xxh3);
    fields("bytes", file.bytes);
    fields.check("file", [&](const auto& json) {
      if (file.name.find('/') != file.name.npos || file.name.starts_with('.')) {
        json.fail("the name of a file in the folder of the document");
      }
    });
  }
  friend bool operator==(const SizesFile&, const SizesFile&) = default;
};

/// Writes the sizes of a document that is to be written to `document`. The name of their file has
/// their checksum, so that the sizes of an older document of that name stay beside it until
/// remove_other_sizes() is called. The file is complete or does not exist. Throws Error.
SizesFile write_sizes(const std::filesystem::path& document,
                      const std::vector<std::uint64_t>& sizes);

/// Reads what write_sizes() wrote. Throws Error, which names the file, if it is missing, damaged,
/// or not of `document`.
std::vector<std::uint64_t> read_sizes(const std::filesystem::path& document, const SizesFile& file);

/// Removes the files of sizes of other states of a document. Throws Error.
void remove_other_sizes(const std::filesystem::path& document, const SizesFile& kept);

}  // namespace fpsynth::results
