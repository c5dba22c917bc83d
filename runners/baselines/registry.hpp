#pragma once
// Everything that `compare` compares, in the order of its tables. A new baseline is a folder with a
// compressor.hpp and a line here.

#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// pFPC as the MPC paper ran it: tables of 2^20 entries, on 20 cores.
inline constexpr unsigned kPfpcTableBits = 20;
inline constexpr unsigned kPfpcThreads = 20;
inline constexpr unsigned kPfpcChunk = 1024;
/// GFC's chunks: enough for a GPU, and the right-most column of its paper's Table 2.
inline constexpr unsigned kGfcChunks = 1000;

/// A copy in memory, the peers of this build, and the papers' compressors. GFC and MPC are told the
/// `dimensionality`, 1..64; one that GFC cannot have (above 32) is 1 to it.
std::vector<Compressor> all_compressors(unsigned dimensionality);

}  // namespace fpsynth::baselines
