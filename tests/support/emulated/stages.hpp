#pragma once
// The stage tables of the emulated blocks.

#include <span>

#include "components/stage_table.hpp"

namespace fpsynth::components {

/// The thread block's code on the host, with 1, 32, 256 and 1024 lanes in shuffled order. Slow.
std::span<const StageTable* const> emulated_stages();

}  // namespace fpsynth::components
