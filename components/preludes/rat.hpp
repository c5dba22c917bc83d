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
/// the word (Scaled), the word and its position are side data. In a block with the selector 0 it
/// becomes what ORD makes of it, less 2^(w-1), so that small numbers are small integers here, too.
struct Rat {
  static constexpr std::string_view name = "RAT", suffix = "", type = "Rat";
  static constexpr std::uint8_t wire = 5;
  static constexpr Shape shape = Shape::Selected;
  static constexpr bool parametric = true;
  static constexpr std::size_t kMostBlock = 1024;
  template <class W>
  static constexpr ParameterRange range{128, kMostBlock, true};

  /// For the words of a block with a divisor, or with the scale 0, which stands for the selector 0.
  /// Sets `integer`, in two's complement; returns false for an exception, which becomes the nearest
  /// integer all the same if that is not too large, so that differences stay small, or else 0.
  template <class W>
  FPSYNTH_INLINE static bool forward(W word, double scale, W& integer) {
    if (scale == 0) {
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

  /// The choice of a block's selector: of the divisors with which at most an eighth of the words
  /// are exceptions the cheapest, and the first of equals; 0 without one. A word costs the bits of
  /// the divisor, by which its integer is longer, an exception its own bits and sixteen for its
  /// position.
  template <class W>
  class Choice {
   public:
    FPSYNTH_INLINE explicit Choice(std::uint64_t words) : words_(words) {}

    /// True if a divisor that has met so many exceptions, or more, may still be chosen.
    FPSYNTH_INLINE bool may_win(std::uint64_t divisor, std::uint64_t exceptions) const {
      return exceptions <= words_ / 8 && cost(divisor, exceptions) < least_;
    }
    /// Offers the divisor of a selector, with the exceptions of the whole block. The selectors must
    /// ascend.
    FPSYNTH_INLINE void offer(std::uint32_t selector, std::uint64_t divisor,
                              std::uint64_t exceptions) {
      if (!may_win(divisor, exceptions)) return;
      selector_ = selector;
      least_ = cost(divisor, exceptions);
    }
    FPSYNTH_INLINE std::uint32_t selector() const { return selector_; }

   private:
    FPSYNTH_INLINE std::uint64_t cost(std::uint64_t divisor, std::uint64_t exceptions) const {
      return words_ * (words::highest_bit(divisor) + 1) + exceptions * (words::kBits<W> + 16);
    }
    std::uint64_t words_, least_ = ~std::uint64_t{0};
    std::uint32_t selector_ = 0;
  };

  /// The selector of a block of `n` words.
  template <class W>
  FPSYNTH_INLINE static std::uint32_t choose(const W* words, std::size_t n,
                                             const Divisors& divisors) {
    constexpr std::size_t kGroup = 64;
    Choice<W> choice(n);
    for (std::size_t d = 0; d < divisors.count; ++d) {
      const std::uint64_t divisor = divisors.of[d];
      std::size_t exceptions = 0;
      for (std::size_t i = 0; i < n && choice.may_win(divisor, exceptions); i += kGroup) {
        // The compiler knows the length of all groups but the last one.
        exceptions += n - i < kGroup ? exceptions_of(words + i, n - i, double(divisor))
                                     : exceptions_of(words + i, kGroup, double(divisor));
      }
      choice.offer(std::uint32_t(d + 1), divisor, exceptions);
    }
    return choice.selector();
  }
  /// The scale of a block with a selector.
  FPSYNTH_INLINE static double scale(const Divisors& divisors, std::size_t selector) {
    return selector == 0 ? 0 : double(divisors.of[selector - 1]);
  }

 private:
  template <class W>
  FPSYNTH_INLINE static std::size_t exceptions_of(const W* words, std::size_t n, double scale) {
    W exceptions = 0;  // of the width of the words, for vectors
    for (std::size_t i = 0; i < n; ++i) {
      exceptions = W(exceptions + W(!Scaled<W>(words[i], scale).exact));
    }
    return std::size_t(exceptions);
  }
  template <class W>
  static constexpr W kSignBit = W(W{1} << (words::kBits<W> - 1));
};

}  // namespace fpsynth::preludes
