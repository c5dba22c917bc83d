#pragma once
// Floating-point operations that are rounded one by one on every processor, as in IEEE 754.
// Compilers for GPUs would otherwise fuse a product with the addition that uses it.

#include "components/words/bits.hpp"

namespace fpsynth::words {

FPSYNTH_INLINE float rounded_sum(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}
FPSYNTH_INLINE double rounded_sum(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

FPSYNTH_INLINE float rounded_product(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
FPSYNTH_INLINE double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

}  // namespace fpsynth::words
