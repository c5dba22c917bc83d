#pragma once
// The stage tables of the SIMD levels. stages.cc, which defines them, is compiled once per level
// with that level's instruction set, so other code may use nothing of it except these constants.

#include "components/stage_table.hpp"

namespace fpsynth::components {

extern const StageTable kBaseline;
extern const StageTable kAvx2;
extern const StageTable kAvx512;

}  // namespace fpsynth::components
