#pragma once
// The states of all processes of a race, as one.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fpsynth::search {

/// The states that the processes of a race have saved (RaceOptions::save), by rank, as one state;
/// that of a process which has none is empty. What all have in common is in it once. Empty if all
/// are. Throws Error if one is damaged.
std::vector<std::uint8_t> joined_states(std::span<const std::vector<std::uint8_t>> states);

/// What a process continues from, as race() takes it: `joined` is of joined_states() or of a race
/// of one process. If there were as many processes as now, it is what the process itself had,
/// unless others were in a later wave or round. Else it is what all had at the end of the last one.
/// Throws Error if it is damaged.
std::vector<std::uint8_t> state_of(std::span<const std::uint8_t> joined, std::size_t rank,
                                   std::size_t count);

}  // namespace fpsynth::search
