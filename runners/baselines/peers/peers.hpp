#pragma once
// The general-purpose peers: other projects' compressors, called through their libraries. The build
// decides which of them exist.

#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// The peers of this build, in the order of the tables.
std::vector<Compressor> peers();

/// The peers that this build lacks, each with the reason and how to get it.
std::vector<Missing> missing_peers();

}  // namespace fpsynth::baselines
