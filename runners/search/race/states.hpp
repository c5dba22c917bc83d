#pragma once
// The saved states of a race: those of all processes as one, and the file that keeps it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace fpsynth::search {

/// Joins the states that the processes of a race have saved (RaceOptions::save), by rank, to one;
/// the state of a process that has none is empty. Fields that all have in common are in it once.
/// Empty if all states are. Throws Error if one is damaged.
std::vector<std::uint8_t> joined_states(std::span<const std::vector<std::uint8_t>> states);

/// The state from which a process continues, for race(). `joined` comes from joined_states() or
/// from a race of one process. If there are as many processes as there were, it is the process's
/// own state, unless others were in a later wave or round. Else it is the state that all had at the
/// end of the last wave or round. Throws Error if it is damaged.
std::vector<std::uint8_t> state_of(std::span<const std::uint8_t> joined, std::size_t rank,
                                   std::size_t count);

/// Writes a state with its checksum. The file is complete or does not exist. Throws Error.
void write_state(const std::filesystem::path& path, const std::vector<std::uint8_t>& state);

/// Throws Error, which names the file, if it cannot be read or its checksum differs.
std::vector<std::uint8_t> read_state(const std::filesystem::path& path);

}  // namespace fpsynth::search
