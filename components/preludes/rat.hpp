#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/ord.hpp"
#include "components/preludes/scaled.hpp"
#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// RAT:B:m1:…:mk: values that are fractions with one of a few denominators become integers. A
/// block of B words has a selector: j if its values are multiples of 1 / m_j, or 0. In a block with
/// the selector j a value x becomes the integer nearest to x · m_j; where that does not stand for
/// the word (Scaled), its position is side data, and how much it differs from the word of the
/// integer: little for fractions that arithmetic has left a few last places off. In a block with
/// the selector 0 it becomes what ORD makes of it, less 2^(w-1), so that small numbers are small
/// integers here, too.
struct Rat {
  static constexpr std::string_view name = "RAT", suffix = "", type = "Rat";
  static constexpr std::uint8_t wire = 5;
  static constexpr Shape shape = Shape::Selected;
  static constexpr bool parametric = true;
  static constexpr std::size_t kMostBlock = 1024;
  template <class W>
  static constexpr ParameterRange range{128, sizeof(W) < 4 ? 0 : kMostBlock, true};

  /// For the words of a block with a divisor, or with the scale 0, which stands for the selector 0.
  /// Sets `integer`, in two's complement; returns false for an exception, which becomes the nearest
  /// integer all the same if that is not too large, so that differences stay small, or else 0.
  template <class W>
  FPSYNTH_INLINE static bool forward(W word, double scale, W& integer) {
    if (sizeof(W) < 4 || scale == 0) {
      integer = W(Ord::forward(word) ^ kSignBit<W>);
      return true;
    }
    const Scaled<W> scaled(word, scale);
    integer = scaled.integer_if(scaled.inside);
    return scaled.exact;
  }
  /// Any integer has a value, also one that forward() never gives.
  template <class W>
  FPSYNTH_INLINE static W backward(W integer, double scale) {
    return scale == 0 ? Ord::backward(W(integer ^ kSignBit<W>))
                      : Scaled<W>::word_of(integer, scale);
  }

  /// The choice of a block's selector: of the divisors whose exceptions cost no more than if an
  /// eighth of the words were lost the cheapest, and the first of equals; 0 without one. A word
  /// costs the bits of the divisor, by which its integer is longer, an exception as Scaled says.
  template <class W>
  class Choice {
   public:
    FPSYNTH_INLINE explicit Choice(std::uint64_t words) : words_(words) {}

    /// True if a divisor whose exceptions have so many bits, or more, may still be chosen.
    FPSYNTH_INLINE bool may_win(double divisor, std::uint64_t bits) const {
      return bits <= words_ * (words::kBits<W> + 16) / 8 && cost(divisor, bits) < least_;
    }
    /// Offers the divisor of a selector, with the bits of the whole block's exceptions. The
    /// selectors must ascend.
    FPSYNTH_INLINE void offer(std::uint32_t selector, double divisor, std::uint64_t bits) {
      if (!may_win(divisor, bits)) return;
      selector_ = selector;
      least_ = cost(divisor, bits);
    }
    FPSYNTH_INLINE std::uint32_t selector() const { return selector_; }

   private:
    FPSYNTH_INLINE std::uint64_t cost(double divisor, std::uint64_t bits) const {
      const int length = int(Scaled<std::uint64_t>::word(divisor) >> 52) - 1022;
      return words_ * std::uint64_t(length > 0 ? length : 0) + bits;
    }
    std::uint64_t words_, least_ = ~std::uint64_t{0};
    std::uint32_t selector_ = 0;
  };

  /// The rests of exceptions, from the first one on: by how much the word differs from that
  /// of the integer in its place; 0, which no exception has, where it is the last one again that
  /// was far from it, as NaNs are.
  template <class W>
  class Rests {
   public:
    FPSYNTH_INLINE W forward(W word, W near) {
      const W rest = word == far_ ? W{0} : W(word - near);
      return keep(rest, word), rest;
    }
    FPSYNTH_INLINE W backward(W rest, W near) {
      return keep(rest, rest == 0 ? far_ : W(near + rest));
    }

   private:
    FPSYNTH_INLINE W keep(W rest, W word) {
      if (Scaled<W>::magnitude(rest) >> Scaled<W>::kNear != 0) far_ = word;
      return word;
    }
    W far_ = 0;
  };

  /// The selector of a block of `n` words.
  template <class W>
  FPSYNTH_INLINE static std::uint32_t choose(const W* words, std::size_t n,
                                             const Divisors& divisors) {
    constexpr std::size_t kGroup = 64;
    Choice<W> choice(n);
    for (std::size_t d = 0; d < divisors.count; ++d) {
      const double divisor = scale(divisors, d + 1);
      std::size_t bits = 0;
      for (std::size_t i = 0; i < n && choice.may_win(divisor, bits); i += kGroup) {
        // The compiler knows the length of all groups but the last one.
        bits += n - i < kGroup ? bits_of(words + i, n - i, divisor)
                               : bits_of(words + i, kGroup, divisor);
      }
      choice.offer(std::uint32_t(d + 1), divisor, bits);
    }
    return choice.selector();
  }
  /// The scale of a block with a selector.
  FPSYNTH_INLINE static double scale(const Divisors& divisors, std::size_t selector) {
    return selector == 0 ? 0 : number(divisors.of[selector - 1]);
  }
  /// The number that a divisor stands for.
  FPSYNTH_INLINE static double number(std::uint64_t divisor) {
    return divisor <= Divisors::kWhole ? double(divisor) : Scaled<std::uint64_t>::value(divisor);
  }

 private:
  template <class W>
  FPSYNTH_INLINE static std::size_t bits_of(const W* words, std::size_t n, double scale) {
    W bits = 0;  // of the width of the words, for vectors
    for (std::size_t i = 0; i < n; ++i) bits = W(bits + Scaled<W>(words[i], scale).rest_bits());
    return std::size_t(bits);
  }
  template <class W>
  static constexpr W kSignBit = W(W{1} << (words::kBits<W> - 1));
};

}  // namespace fpsynth::preludes
