// Replaces cuda_stages.cu in builds without CUDA.

#include "tests/components/cuda_stages.hpp"

namespace fpsynth::components {

const StageTable* cuda_stages() { return nullptr; }

}  // namespace fpsynth::components
