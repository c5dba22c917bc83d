#pragma once
// The stage table of the cuda team.

#include "components/stage_table.hpp"

namespace fpsynth::components {

/// The stages on a GPU, one thread block per call. Slow. Null if there is no GPU or the program was
/// built without CUDA. Its entry points throw std::runtime_error if the device fails.
const StageTable* cuda_stages();

}  // namespace fpsynth::components
