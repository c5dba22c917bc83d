#pragma once
// All compressors that `compare` compares, in the order of its tables. A new baseline is a
// directory with a compressor.hpp and a line in registry.cpp.

#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// pFPC with the MPC paper's parameters: tables of 2^20 entries, on 20 cores.
inline constexpr unsigned kPfpcTableBits = 20;
inline constexpr unsigned kPfpcThreads = 20;
inline constexpr unsigned kPfpcChunk = 1024;
/// GFC's number of chunks: enough for a GPU, and the right-most column of its paper's Table 2.
inline constexpr unsigned kGfcChunks = 1000;

/// A copy in memory, the peers of this build, and the papers' compressors. GFC and MPC use
/// `dimensionality`, 1..64; GFC uses 1 if it is above 32, GFC's maximum.
std::vector<Compressor> all_compressors(unsigned dimensionality);

}  // namespace fpsynth::baselines
