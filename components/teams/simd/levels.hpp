#pragma once
// The stage tables of the SIMD levels. Each comes from stages.cc, compiled once per level with that
// level's instruction set, so nothing but these constants may cross from there to the rest.

#include "components/stage_table.hpp"

namespace fpsynth::components {

extern const StageTable kBaseline;
extern const StageTable kAvx2;
extern const StageTable kAvx512;

}  // namespace fpsynth::components
