#pragma once
// FPSYNTH_NATIVE names the best level whose instructions the compiler may use in the including
// file. The conditions are those of has_avx2() and has_avx512(), at compile time, but for bit
// operations that only the compiler uses.

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&                \
    defined(__AVX512VL__) && defined(__AVX512CD__) && defined(__AVX512VBMI__) &&             \
    defined(__AVX512VBMI2__) && defined(__AVX512BITALG__) && defined(__AVX512VPOPCNTDQ__) && \
    defined(__GFNI__) && defined(__BMI2__)
#define FPSYNTH_NATIVE avx512
#define FPSYNTH_NATIVE_AVX512
#elif defined(__AVX2__) && defined(__POPCNT__)
#define FPSYNTH_NATIVE avx2
#define FPSYNTH_NATIVE_AVX2
#else
#define FPSYNTH_NATIVE baseline
#endif
