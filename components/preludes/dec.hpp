#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// DEC:d: values that are decimals of d digits become integers. A value x becomes k, the integer
/// nearest to x · 10^d, if |k| is at most kMost and k / 10^d, computed as double precision and
/// rounded to x's precision, has x's bits. Other words (-0, infinities, NaNs, and what is no such
/// decimal) become 0 and are side data, with their positions.
///
/// All operations are single ones of IEEE 754 that round to nearest, and none follows another in a
/// way that a compiler may contract, so all processors agree.
struct Dec {
  static constexpr std::string_view name = "DEC", suffix = "", type = "Dec";
  static constexpr std::uint8_t wire = 4;
  static constexpr Shape shape = Shape::Excepted;
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{0, sizeof(W) == 8 ? 15u : 9u};

  /// 10^digits, exactly.
  FPSYNTH_INLINE static constexpr double scale(std::uint64_t digits) {
    double power = 1;
    for (; digits > 0; --digits) power *= 10;
    return power;
  }

  /// Sets `integer`, in two's complement; returns false, and sets it to 0, for an exception.
  template <class W>
  FPSYNTH_INLINE static bool forward(W word, double scale, W& integer) {
    // Without branches, for vectors: out of range, and for NaNs, `k` is anything.
    const double near = round(value(word) * scale);
    const W k = integer_of<W>(near);
    const bool exact = (near <= kMost<W>)&(near >= -kMost<W>)&(backward(k, scale) == word);
    integer = W(k & (W{0} - W(exact)));
    return exact;
  }
  /// Any integer has a value, also one that forward() never gives.
  template <class W>
  FPSYNTH_INLINE static W backward(W integer, double scale) {
    const double quotient = number(integer) / scale;
    if constexpr (sizeof(W) == 8) {
      return bits<std::uint64_t>(quotient);
    } else {
      return bits<std::uint32_t>(static_cast<float>(quotient));
    }
  }

 private:
  template <class W>
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
  template <class W>
  FPSYNTH_INLINE static double value(W word) {
    if constexpr (sizeof(W) == 8) {
      return bits<double>(word);
    } else {
      return bits<float>(word);
    }
  }
  FPSYNTH_INLINE static double round(double value) { return __builtin_rint(value); }
  template <class W>
  FPSYNTH_INLINE static W integer_of(double near) {
    return W(bits<std::uint64_t>(near + kShift) - bits<std::uint64_t>(kShift));
  }
  template <class W>
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
};

}  // namespace fpsynth::preludes
