#pragma once
// Detects which levels this processor can run, whatever instructions the compiler may use.

namespace fpsynth::teams {

inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

/// The AVX-512 of Ice Lake, Zen 4 and later. The byte stages depend on byte permutes and byte
/// compression, which the first AVX-512 processors lack; those run the AVX2 level.
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq") &&
         __builtin_cpu_supports("gfni");
}

}  // namespace fpsynth::teams
