#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/scaled.hpp"
#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// Powers of ten, rounded to nearest; those from 10^0 on are exact. Not inline: objects for each
/// instruction set have a copy.
constexpr int kZeroth = 22;
constexpr double kTens[2 * kZeroth + 1] = {
    1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11,
    1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,
    1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,
    1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22};

/// SIG:n: values of n significant decimal digits become integers in the same order, made of the
/// power of ten and the digits. SIG:0: doubles that are the shortest decimals of singles become
/// these singles, as doubles. Other words (-0, infinities, NaNs, and what is neither) become 0 and
/// are side data, with their positions.
///
/// As in Scaled, all operations are single ones of IEEE 754, of which none may be contracted.
struct Sig {
  static constexpr std::string_view name = "SIG", suffix = "", type = "Sig";
  static constexpr std::uint8_t wire = 10;
  static constexpr Shape shape = Shape::Excepted;
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{sizeof(W) == 8 ? 0u : 1u, sizeof(W) == 8   ? 15u
                                                                  : sizeof(W) == 4 ? 7u
                                                                                   : 0u};

  /// 10^(digits - 1), the least integer of that many digits; 0 for the decimals of singles.
  FPSYNTH_INLINE static constexpr double scale(std::uint64_t digits) {
    return digits == 0 ? 0 : kTens[kZeroth + digits - 1];
  }

  /// Sets `integer`, in two's complement; returns false, and sets it to 0, for an exception.
  template <class W>
  FPSYNTH_INLINE static bool forward(W word, double scale, W& integer) {
    const W sign = W(word & kSignBit<W>);
    const double size = Scaled<W>::value(W(word ^ sign));
    if (scale == 0) {
      integer = W(sign | rounded(W(word ^ sign)));
    } else {
      const int power = power_of(size);
      const double digits = __builtin_rint(over(size, power - power_of(scale)));
      const auto above = std::int64_t(digits < kMostDigits ? digits : 0) - std::int64_t(scale);
      integer = W((W(power + kZeroth + 1) << shift_of(scale)) + W(above));
      integer = size == 0 ? W{0} : sign != 0 ? W(W{0} - integer) : integer;
    }
    const bool exact = backward(integer, scale) == word;
    integer = W(integer & (W{0} - W(exact)));
    return exact;
  }
  /// Any integer has a value, also one that forward() never gives.
  template <class W>
  FPSYNTH_INLINE static W backward(W integer, double scale) {
    const W sign = W(integer & kSignBit<W>);
    if (scale == 0) {
      const double single = Scaled<W>::value(rounded(W(integer ^ sign)));
      return W(sign | Scaled<W>::word(shortest(single)));
    }
    const W size = sign != 0 ? W(W{0} - integer) : integer;
    const W power = W(size >> shift_of(scale));
    if (power == 0) return 0;
    const W digits = W(size & W(W(W{1} << shift_of(scale)) - 1));
    const int unit = int(power < 45 ? power : 45) - kZeroth - 1 - power_of(scale);
    return W(sign | Scaled<W>::word(over(double(digits) + scale, -unit)));
  }

 private:
  template <class W>
  static constexpr W kSignBit = W(W{1} << (words::kBits<W> - 1));
  /// Decimals of so many digits, from the first one on, lie apart in singles; those of so many tell
  /// all singles apart.
  static constexpr int kFewestDigits = 6, kMostOfSingles = 9;
  static constexpr double kMostDigits = 9007199254740992.0;  // 2^53

  static constexpr int clamped(int power, int least, int most) {
    return power < least ? least : power > most ? most : power;
  }

  /// The power of ten of a number's first digit, within those of the table.
  FPSYNTH_INLINE static int power_of(double size) {
    const auto exponent = int(Scaled<std::uint64_t>::word(size) >> 52) - 1023;
    const int power = clamped(exponent * 1233 >> 12, -kZeroth, kZeroth - 1);  // log10(2)
    return power + (size >= kTens[kZeroth + power + 1]);
  }
  /// x / 10^power, rounded once, within the table.
  FPSYNTH_INLINE static double over(double x, int power) {
    const int within = clamped(power, -kZeroth, kZeroth);
    const double up = kTens[kZeroth + (within < 0 ? -within : 0)];
    return x * up / kTens[kZeroth + (within > 0 ? within : 0)];
  }
  /// Bits of what digits add to a power of ten, 0 to 9 scale.
  FPSYNTH_INLINE static unsigned shift_of(double scale) {
    return words::highest_bit(std::uint64_t(9 * scale)) + 1;
  }

  /// The word of a size that is the nearest single, at most the greatest.
  template <class W>
  FPSYNTH_INLINE static W rounded(W size) {
    const W most = Scaled<W>::word(3.4028234663852886e38);
    return Scaled<W>::word(static_cast<float>(Scaled<W>::value(size < most ? size : most)));
  }
  /// The decimal of fewest digits among those that round to a single, and the nearest of these.
  FPSYNTH_INLINE static double shortest(double single) {
    const int power = power_of(single);
    double best = single;
    for (int digits = kMostOfSingles; digits >= kFewestDigits; --digits) {
      const int unit = power - digits + 1;
      const double decimal = over(__builtin_rint(over(single, unit)), -unit);
      best = static_cast<float>(decimal) == static_cast<float>(single) ? decimal : best;
    }
    return best;
  }
};

}  // namespace fpsynth::preludes
