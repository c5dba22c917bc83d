#pragma once
// The stage tables of the SIMD levels. Each comes from stages.cc, compiled once per level with that
// level's instruction set, so nothing but these constants may cross from there to the rest.

#include "components/stage_table.hpp"

namespace fpsynth::components {

extern const StageOps* const kBaselineOps;
extern const StageOps* const kAvx2Ops;
extern const StageOps* const kAvx512Ops;

}  // namespace fpsynth::components
