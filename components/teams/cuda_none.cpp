// Replaces cuda_stages.cu in builds without CUDA.

#include "components/stage_table.hpp"

namespace fpsynth::components {

const StageTable* cuda_stages() { return nullptr; }

}  // namespace fpsynth::components
