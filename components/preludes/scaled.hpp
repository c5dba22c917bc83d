#pragma once
// Floating-point numbers as integers over a common divisor: the arithmetic of DEC and RAT.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// A word, as the number x, times a scale m: the nearest integer k. It stands for the word if |k|
/// is at most kMost and k / m, computed as double precision and rounded to x's precision, has x's
/// bits.
///
/// All operations are single ones of IEEE 754 that round to nearest, and none follows another in a
/// way that a compiler may contract, so all processors agree.
template <class W>
struct Scaled {
  bool inside;  ///< |k| is at most kMost; not for NaNs
  bool exact;   ///< and k stands for the word

  // Without branches, for vectors: out of range, and for NaNs, `k_` and `rest_` are anything.
  FPSYNTH_INLINE Scaled(W word, double scale) {
    const double near = round(value(word) * scale);
    k_ = integer_of(near);
    inside = (near <= kMost) & (near >= -kMost);
    rest_ = W(word - word_of(k_, scale));
    exact = inside & (rest_ == 0);
  }
  /// k, in two's complement, or 0 unless `wanted`.
  FPSYNTH_INLINE W integer_if(bool wanted) const { return W(k_ & (W{0} - W(wanted))); }

  /// Words that k misses by less than 2^kNear units of their last place are cheap.
  static constexpr unsigned kNear = 12, kNearBits = 14;
  FPSYNTH_INLINE static W magnitude(W rest) {
    return W(rest ^ W(W{0} - (rest >> (words::kBits<W> - 1))));
  }
  /// About what an exception costs, with its position: 0, a few bits, kNearBits or more than a
  /// word.
  FPSYNTH_INLINE W rest_bits() const {
    constexpr W kFar = words::kBits<W> + 16;
    const W size = magnitude(rest_);
    const W within = size >> kNear == 0 ? W{kNearBits} : kFar;
    return exact ? W{0} : !inside ? kFar : size >> 4 == 0 ? W{6} : within;
  }

  /// The word that an integer stands for. Any has one, also an integer that is no k.
  FPSYNTH_INLINE static W word_of(W integer, double scale) { return word(number(integer) / scale); }

  /// A word as a number, and the word of a number, rounded to nearest.
  FPSYNTH_INLINE static double value(W word) {
    if constexpr (sizeof(W) == 8) {
      return bits<double>(word);
    } else {
      return bits<float>(std::uint32_t{word});
    }
  }
  FPSYNTH_INLINE static W word(double value) {
    if constexpr (sizeof(W) == 8) {
      return bits<std::uint64_t>(value);
    } else {
      return W(bits<std::uint32_t>(static_cast<float>(value)));
    }
  }

 private:
  static constexpr double kMost = sizeof(W) == 8 ? 2251799813685247.0 : 2147483647.0;  // 2^51 - 1
  /// Added to an integer of up to 51 bits, it leaves the integer in the sum's lowest bits:
  /// conversions between integers and doubles of 64 bits without the instructions that AVX2 lacks.
  static constexpr double kShift = 6755399441055744.0;  // 1.5 · 2^52
  /// The bits of doubles from 2^52 to 2^53: their fraction, and the exponent that all share.
  /// Integers become such doubles when kShift is added.
  static constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  static constexpr std::uint64_t kExponent = std::uint64_t{0x433} << 52;

  template <class To, class From>
  FPSYNTH_INLINE static To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
  FPSYNTH_INLINE static double round(double value) { return __builtin_rint(value); }
  FPSYNTH_INLINE static W integer_of(double near) {
    return W(bits<std::uint64_t>(near + kShift) - bits<std::uint64_t>(kShift));
  }
  FPSYNTH_INLINE static double number(W integer) {
    if constexpr (sizeof(W) == 8) {
      // Only the lowest 52 bits of other integers count, so that no NaN arises: processors differ
      // in its bits.
      const std::uint64_t shifted = integer + bits<std::uint64_t>(kShift);
      return bits<double>((shifted & kFraction) | kExponent) - kShift;
    } else {
      return double(std::int32_t(integer));
    }
  }

  W k_, rest_;
};

}  // namespace fpsynth::preludes
