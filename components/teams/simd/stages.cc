// The stage table of one SIMD level. The build compiles this file once per level, with that level's
// instructions enabled and its name in the macros FPSYNTH_LEVEL.... Everything instantiated here is
// a template on the level's type: if an inline function were shared with other sources, the linker
// could keep the copy of this file, which would then run on processors that lack the instructions.
// A test checks the symbols.

#include FPSYNTH_LEVEL_HEADER

#include "components/bind.hpp"
#include "components/stage_table.hpp"
#include "components/teams/simd/team.hpp"

namespace fpsynth::components {

using LevelTeam = teams::SimdTeam<teams::FPSYNTH_LEVEL>;

constinit const StageTable FPSYNTH_LEVEL_TABLE(FPSYNTH_LEVEL_NAME, bound_ops<LevelTeam>(),
                                               BoundBlock<LevelTeam>::ops);

}  // namespace fpsynth::components
