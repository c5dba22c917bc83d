#include "components/stage_table.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "components/teams/simd/detect.hpp"

namespace fpsynth::components {

std::span<const StageTable* const> built_stages() {
  static constexpr const StageTable* kAll[] = {
#ifndef FPSYNTH_WITHOUT_AVX512
      &kAvx512,
#endif
#ifndef FPSYNTH_WITHOUT_AVX2
      &kAvx2,
#endif
      &kBaseline};
  return kAll;
}

std::span<const StageTable* const> simd_stages() {
  static const std::vector<const StageTable*> available = [] {
    std::vector<const StageTable*> tables;
#ifndef FPSYNTH_WITHOUT_AVX512
    if (teams::has_avx512()) tables.push_back(&kAvx512);
#endif
#ifndef FPSYNTH_WITHOUT_AVX2
    if (teams::has_avx2()) tables.push_back(&kAvx2);
#endif
    tables.push_back(&kBaseline);
    return tables;
  }();
  return available;
}

const StageTable& default_stages() {
  const char* const forced = std::getenv("FPSYNTH_SIMD");
  if (!forced || !*forced) return *simd_stages().front();
  const std::string_view name = forced;
  if (name == serial_stages().name()) return serial_stages();
  std::string known;
  for (const StageTable* table : simd_stages()) {
    if (name == table->name()) return *table;
    known += std::string(table->name()) + ", ";
  }
  throw std::runtime_error("FPSYNTH_SIMD=" + std::string(name) + ": this processor can run " +
                           known + "serial; unset it to use the best");
}

}  // namespace fpsynth::components
