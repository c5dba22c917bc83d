#pragma once
// The values of an array as HDF5 passes them to filters: chunk after chunk, those at the edges
// padded with a fill value.

#include <cstdint>
#include <string_view>
#include <vector>

#include "results/documents/cutting.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::data {

/// Extents from "100x200", the slowest first. Throws UsageError, which begins with `option`, unless
/// each is a number from 1.
std::vector<std::uint64_t> parse_extents(std::string_view option, std::string_view text);

/// The chunks of these extents, or, if there are none, of the input's file, into which HDF5 cuts
/// the input's values; the fill value is what the file says. `shape`: of the values, slowest first;
/// empty if it is not known. Throws Error if the values are not an array of this shape, if the file
/// has no chunks, or if HDF5 would not take them.
results::Hdf5Chunks hdf5_chunks_of(const Input& input, std::vector<std::uint64_t> shape,
                                   std::vector<std::uint64_t> extents);

/// The input's values in chunks of it, as many words as these have with their padding, in memory.
/// Throws Error if the input's file changes meanwhile.
Input in_hdf5_chunks(const Input& input, results::Hdf5Chunks chunks);

}  // namespace fpsynth::data
