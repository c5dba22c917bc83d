#pragma once
// The file in which an interrupted race is kept.

#include <cstdint>
#include <filesystem>
#include <vector>

namespace fpsynth::search {

/// Writes a state with its checksum. The file is complete or does not exist. Throws Error.
void write_state(const std::filesystem::path& path, const std::vector<std::uint8_t>& state);

/// Throws Error, which names the file, if it cannot be read or its checksum differs.
std::vector<std::uint8_t> read_state(const std::filesystem::path& path);

}  // namespace fpsynth::search
