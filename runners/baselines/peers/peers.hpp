#pragma once
// The general-purpose peers: compressors of other people, called through their libraries. Which of
// them exist is decided when fpsynth is built.

#include <vector>

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// The peers of this build, in the order of the tables.
std::vector<Compressor> peers();

/// The peers that this build has not, each with the reason and the way to get it.
std::vector<Missing> missing_peers();

}  // namespace fpsynth::baselines
