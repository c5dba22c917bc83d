#pragma once
// The files of throughput documents. results/throughput.schema.json describes their JSON form.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/throughput/throughput.hpp"

namespace fpsynth::results {

inline constexpr std::string_view kThroughputSchema = "fpsynth-throughput";
inline constexpr std::uint64_t kThroughputVersion = 1;

/// DIR/<name>.<precision>.<backend>.throughput.json. Throws UsageError if the name cannot be part
/// of a file name.
std::filesystem::path throughput_path(const std::filesystem::path& directory, std::string_view name,
                                      synth::Precision precision, std::string_view backend);

/// Files in a directory that are named as by throughput_path(), sorted by name. Empty if the
/// directory does not exist.
std::vector<std::filesystem::path> throughput_files(const std::filesystem::path& directory);

/// The document's JSON text, with a line for each row. Throws Error if the document is not valid.
std::string to_json(const ThroughputDocument& document);

/// Validates and writes a document. The file is complete or does not exist.
void write_throughput(const std::filesystem::path& path, const ThroughputDocument& document);

/// Reads and validates a document. Throws Error, which names the file and the field.
ThroughputDocument read_throughput(const std::filesystem::path& path);

}  // namespace fpsynth::results
