#pragma once
// Detects which levels this processor can run, whatever instructions the compiler may use. CPUID is
// read here, because __builtin_cpu_supports is always false with Zig's runtime.

#include <cpuid.h>

namespace fpsynth::teams {

/// True if the system keeps these registers (XCR0), and the processor has POPCNT, LZCNT, and what
/// these bits of EBX and ECX say, of CPUID's leaf 7.
inline bool has_features(unsigned kept, unsigned wanted_ebx, unsigned wanted_ecx) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kFirst = bit_OSXSAVE | bit_POPCNT;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & kFirst) != kFirst) return false;
  asm("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  if ((eax & kept) != kept) return false;
  if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) || !(ecx & bit_LZCNT)) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & wanted_ebx) == wanted_ebx &&
         (ecx & wanted_ecx) == wanted_ecx;
}

/// AVX2 and the bit operations of all processors that have it.
inline bool has_avx2() { return has_features(0x06, bit_AVX2 | bit_BMI | bit_BMI2, 0); }

/// The AVX-512 of Ice Lake, Zen 4 and later. The byte stages depend on byte permutes and byte
/// compression, which the first AVX-512 processors lack; those run the AVX2 level.
inline bool has_avx512() {
  return has_avx2() &&
         has_features(
             0xe6, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL | bit_AVX512CD,
             bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512BITALG | bit_AVX512VPOPCNTDQ | bit_GFNI);
}

}  // namespace fpsynth::teams
