// Which SIMD levels this processor has, and which one runs.

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "components/teams/simd/levels.hpp"

namespace fpsynth::components {
namespace {

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

/// The AVX-512 of Ice Lake, Zen 4 and later: byte permutes and byte compression are what the byte
/// stages live on, so the first AVX-512 processors run the AVX2 level.
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
         __builtin_cpu_supports("gfni");
}

}  // namespace

std::span<const StageTable* const> simd_stages() {
  static const std::vector<const StageTable*> available = [] {
    std::vector<const StageTable*> tables;
    if (has_avx512()) tables.push_back(&kAvx512);
    if (has_avx2()) tables.push_back(&kAvx2);
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
                           known + "serial; unset it for the best");
}

}  // namespace fpsynth::components
