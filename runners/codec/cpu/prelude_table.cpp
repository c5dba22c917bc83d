#include "runners/codec/cpu/prelude_table.hpp"

namespace fpsynth::codec {

const PreludeTable& preludes_beside(const components::StageTable& stages) {
  if (stages.name() == "avx512") return kPreludesAvx512;
  if (stages.name() == "avx2") return kPreludesAvx2;
  return kPreludesBaseline;
}

}  // namespace fpsynth::codec
