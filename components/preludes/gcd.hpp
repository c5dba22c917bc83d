#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// GCD:B: words, integers in two's complement, divided by what divides all of their block. Its
/// greatest common divisor, 1 for a block of zeros, is side data: one for each B words.
struct Gcd {
  static constexpr std::string_view name = "GCD", suffix = "", type = "Gcd";
  static constexpr std::uint8_t wire = 7;
  static constexpr Shape shape = Shape::Divided;
  static constexpr bool parametric = true;
  static constexpr std::size_t kMostBlock = 1024;
  template <class W>
  static constexpr ParameterRange range{128, kMostBlock, true};

  /// Exact division by a divisor of 2 or more, without dividing: by the inverse, modulo 2^w, of its
  /// odd part.
  template <class W>
  class Division {
   public:
    FPSYNTH_INLINE explicit Division(W divisor)
        : divisor_(divisor), most_(W(kLeast<W> / divisor)), inverse_(1) {
      while ((divisor >> shift_ & 1) == 0) ++shift_;
      const W odd = W(divisor >> shift_);
      // Each time twice as many of the lowest bits are right, of which odd · odd has three.
      inverse_ = odd;
      for (unsigned bits = 3; bits < words::kBits<W>; bits *= 2) {
        inverse_ = product(inverse_, W(W{2} - product(odd, inverse_)));
      }
    }
    /// Of a word that the divisor divides.
    FPSYNTH_INLINE W quotient(W word) const {
      return product(W(std::make_signed_t<W>(word) >> shift_), inverse_);
    }
    /// For vectors: 1 if the divisor divides a word, or 0. Of all numbers that give the word when
    /// they are multiplied modulo 2^w, only a quotient is small enough.
    FPSYNTH_INLINE W divides(W word) const {
      const W k = quotient(word);
      return W(W(product(k, divisor_) == word) & W(W(k + most_) <= W(2 * most_)));
    }

   private:
    /// Modulo 2^w; the product of two short words may be too large for an int.
    FPSYNTH_INLINE static W product(W a, W b) { return W(1u * a * b); }

    W divisor_, most_, inverse_;
    unsigned shift_ = 0;
  };

  template <class W>
  FPSYNTH_INLINE static W magnitude(W word) {
    return (word & kLeast<W>) != 0 ? W(W{0} - word) : word;
  }
  /// The greatest common divisor of magnitudes; that of 0 and another one is the other.
  template <class W>
  FPSYNTH_INLINE static W common(W a, W b) {
    while (b != 0) {
      const W rest = W(a % b);
      a = b;
      b = rest;
    }
    return a;
  }

  /// The divisor of a block of `n` words.
  template <class W>
  FPSYNTH_INLINE static W divisor(const W* words, std::size_t n) {
    constexpr std::size_t kGroup = 64;
    W divisor = 0;
    for (std::size_t i = 0; i < n && divisor != 1; i += kGroup) {
      const std::size_t end = n - i < kGroup ? n : i + kGroup;
      if (divisor > 1 && divides_all(divisor, words + i, end - i)) continue;
      for (std::size_t j = i; j < end && divisor != 1; ++j) {
        divisor = common(divisor, magnitude(words[j]));
      }
    }
    return divisor == 0 ? W{1} : divisor;
  }

 private:
  /// The least integer, in two's complement, whose magnitude has the same bits.
  template <class W>
  static constexpr W kLeast = W(W{1} << (words::kBits<W> - 1));

  template <class W>
  FPSYNTH_INLINE static bool divides_all(W divisor, const W* words, std::size_t n) {
    const Division<W> division(divisor);
    W all = 1;
    for (std::size_t i = 0; i < n; ++i) all = W(all & division.divides(words[i]));
    return all != 0;
  }
};

}  // namespace fpsynth::preludes
