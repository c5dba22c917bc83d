// Built in place of cuda_stages.cu where there is no nvcc.

#include "components/stage_table.hpp"

namespace fpsynth::components {

const StageTable* cuda_stages() { return nullptr; }

}  // namespace fpsynth::components
