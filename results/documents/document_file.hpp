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
/// kMostSizesInDocument pipelines has its sizes in a file beside it (sizes_file.hpp), which is
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

}  // namespace fpsynth::results
