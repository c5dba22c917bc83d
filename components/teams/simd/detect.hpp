#pragma once
// Detects which levels this processor can run, whatever instructions the compiler may use.

#include <cpuid.h>

namespace fpsynth::teams {

/// Read from CPUID, because compilers have no common name for it.
inline bool has_lzcnt() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && ecx >> 5 & 1;
}

/// AVX2 and the bit operations of all processors that have it.
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && has_lzcnt();
}

/// The AVX-512 of Ice Lake, Zen 4 and later. The byte stages depend on byte permutes and byte
/// compression, which the first AVX-512 processors lack; those run the AVX2 level.
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni");
}

}  // namespace fpsynth::teams
