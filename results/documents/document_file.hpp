#pragma once
// The files of result documents. document.schema.json describes their JSON form.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"

namespace fpsynth::results {

inline constexpr std::string_view kDocumentSchema = "fpsynth-results";
/// 2: with sizes beside the document, of listed pipelines, or of a race. Others are still written
/// as 1, byte for byte.
inline constexpr std::uint64_t kDocumentVersion = 2;
/// The number of pipelines of the ranking that the document lists by name.
inline constexpr std::size_t kSpelledOut = 100;

/// DIR/<name>.<precision>.json. Throws UsageError if the name cannot be part of a file name.
std::filesystem::path document_path(const std::filesystem::path& directory, std::string_view name,
                                    synth::Precision precision);

/// Validates and writes a document. The file is complete or does not exist. A document of more than
/// kMostSizesInDocument pipelines has its sizes in a file beside it (write_sizes()), which is
/// written first: whenever the program ends, the document that is there has its own sizes.
void write_document(const std::filesystem::path& path, const Document& document);

/// Reads and validates a document. Throws Error, which names the file and the field.
Document read_document(const std::filesystem::path& path);

/// A document as one text, whatever its size, and back: for documents that are sent. `source` names
/// the sender in errors. Throw Error.
std::string document_text(const Document& document);
Document parse_document(std::string_view text, std::string source);

/// Files in a directory whose names end in one of `endings` and do not start with a dot, sorted by
/// name. Empty if the directory does not exist. Throws Error if it cannot be listed.
std::vector<std::filesystem::path> files_ending(const std::filesystem::path& directory,
                                                std::initializer_list<std::string_view> endings);

/// The files in a directory that are named as by document_path().
std::vector<std::filesystem::path> document_files(const std::filesystem::path& directory);

// The sizes of a document's pipelines in a file beside it: for spaces whose documents would be long
// as text. results/README.md says what is in it, byte by byte.

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
