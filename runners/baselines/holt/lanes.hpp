#pragma once
// The arithmetic of Holt's method on one run (compressor.hpp): small functions shared by sixteen
// runs side by side on a CPU and by a thread of a GPU.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/words/bits.hpp"

namespace fpsynth::words {

// Floating-point operations that are rounded one by one on every processor, as in IEEE 754.
// Compilers for GPUs would otherwise fuse a product with the addition that uses it.

template <typename Real>
FPSYNTH_INLINE Real rounded_sum(Real a, Real b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>) return __fadd_rn(a, b);
  if constexpr (std::is_same_v<Real, double>) return __dadd_rn(a, b);
#endif
  return a + b;
}

template <typename Real>
FPSYNTH_INLINE Real rounded_product(Real a, Real b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Real) == 4) return __fmul_rn(a, b);
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

}  // namespace fpsynth::words

namespace fpsynth::baselines {

/// `Real` is what is smoothed: the values, float or double, or the words that have their bits.
template <typename Real>
using HoltWord = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// Bits of a code: log2 of the word's bytes.
template <typename Real>
inline constexpr unsigned kHoltCodeBits = sizeof(Real) == 4 ? 2 : 3;

template <typename Real>
FPSYNTH_INLINE constexpr std::size_t holt_code_bytes(std::size_t values) {
  return (kHoltCodeBits<Real> * values + 7) / 8;
}

template <typename Real>
constexpr std::size_t holt_worst_bytes(std::size_t values) {
  return holt_code_bytes<Real>(values) + sizeof(Real) * values;
}

/// The code of a residual: its number of bytes minus 1.
template <typename Word>
FPSYNTH_INLINE constexpr std::uint32_t holt_code_of(Word residual) {
  if constexpr (sizeof(Word) == 4) return words::highest_bit32(residual | 1) / 8;
  return static_cast<std::uint32_t>(words::highest_bit(residual | 1)) / 8;
}

/// Machines produce different NaNs, so a forecast of NaN counts as 0.
template <typename Real>
FPSYNTH_INLINE HoltWord<Real> holt_forecast_bits(Real forecast) {
  if constexpr (std::is_integral_v<Real>) {
    return forecast;
  } else {
    return forecast == forecast ? std::bit_cast<HoltWord<Real>>(forecast) : 0;
  }
}

/// The smoothing factors and their complements, in the data's precision. Those of words are
/// multiples of 1/65,536, and have no complements.
template <typename Real>
struct HoltFactors {
  Real alpha, beta, keep_level, keep_slope;

  HoltFactors(double a, double b)
      : alpha(rounded(a)), beta(rounded(b)), keep_level(1 - alpha), keep_slope(1 - beta) {}

 private:
  static Real rounded(double factor) {
    if constexpr (std::is_integral_v<Real>) factor = 65536 * factor + 0.5;
    return static_cast<Real>(factor);
  }
};

/// The part of a signed difference that a factor of words says, rounded down.
template <typename Word>
FPSYNTH_INLINE Word holt_part(Word factor, Word difference) {
  const Word high = static_cast<Word>(static_cast<std::make_signed_t<Word>>(difference) >> 16);
  return factor * high + (factor * (difference & 0xffff) >> 16);
}

/// Level and slope of a run after its next value.
template <typename Real>
FPSYNTH_INLINE void holt_update(const HoltFactors<Real>& factors, Real value, Real& level,
                                Real& slope) {
  Real next;
  if constexpr (std::is_integral_v<Real>) {
    next = level + slope + holt_part(factors.alpha, value - level - slope);
    slope += holt_part(factors.beta, next - level - slope);
  } else {
    using words::rounded_product, words::rounded_sum;
    next = rounded_sum(rounded_product(factors.alpha, value),
                       rounded_product(factors.keep_level, rounded_sum(level, slope)));
    slope = rounded_sum(rounded_product(factors.beta, rounded_sum(next, -level)),
                        rounded_product(factors.keep_slope, slope));
  }
  level = next;
}

}  // namespace fpsynth::baselines
