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

/// DIR/<name>.<precision>.<backend>.throughput.json. Throws UsageError where the name cannot be a
/// file's.
std::filesystem::path throughput_path(const std::filesystem::path& directory, std::string_view name,
                                      synth::Precision precision, std::string_view backend);

/// Files in a directory that are named as throughput_path() names them, by name. Empty where there
/// is no such directory.
std::vector<std::filesystem::path> throughput_files(const std::filesystem::path& directory);

/// The document's JSON text, with a line for each row. Throws Error where it is not valid.
std::string to_json(const ThroughputDocument& document);

/// Validates and writes a document; the file is whole or not there.
void write_throughput(const std::filesystem::path& path, const ThroughputDocument& document);

/// Reads and validates a document. Throws Error naming the file and the field.
ThroughputDocument read_throughput(const std::filesystem::path& path);

}  // namespace fpsynth::results
