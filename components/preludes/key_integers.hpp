#pragma once
// The keys of steps by rank as integers, by which files hold them in few bytes.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "components/preludes/ord.hpp"
#include "components/preludes/rat.hpp"
#include "components/preludes/shape.hpp"

namespace fpsynth::preludes {

/// Keys as integers whose differences repeat. Values for which a dictionary pays are numbers of few
/// digits or of a fixed point: in a block of keys the integers are numerators over a denominator
/// that suits all of them, or, if none does, the keys.
template <class W>
class KeyIntegers {
 public:
  static constexpr std::uint64_t kBlock = 64;
  static constexpr std::size_t blocks(std::size_t count) {
    return std::size_t(count / kBlock + (count % kBlock != 0 ? 1 : 0));
  }

  /// Sets integers[0..count), and selectors[0..blocks(count)); returns the divisors among which
  /// they select.
  static Divisors forward(const W* keys, std::size_t count, W* integers, std::uint8_t* selectors) {
    const Divisors offered = sizeof(W) < 4 ? Divisors{} : divisors_for(keys, count);
    bool chosen[1 + kMostDivisors] = {};
    for_blocks(count, [&](std::size_t block, std::size_t begin, std::size_t end) {
      selectors[block] = choose(keys, begin, end, offered, integers);
      chosen[selectors[block]] = true;
    });
    Divisors divisors;
    std::uint8_t stored[1 + kMostDivisors] = {};
    for (std::size_t i = 0; i < offered.count; ++i) {
      if (!chosen[i + 1]) continue;
      divisors.add(offered.of[i]);
      stored[i + 1] = std::uint8_t(divisors.count);
    }
    for_blocks(count, [&](std::size_t block, std::size_t, std::size_t) {
      selectors[block] = stored[selectors[block]];
    });
    return divisors;
  }

  /// Restores keys in place from integers, which may be anything, as may the selectors: returns
  /// false if one is not of the divisors.
  static bool backward(W* keys, std::size_t count, const std::uint8_t* selectors,
                       const Divisors& divisors) {
    bool suit = true;
    for_blocks(count, [&](std::size_t block, std::size_t begin, std::size_t end) {
      suit = suit && selectors[block] <= divisors.count;
      const double scale = suit ? Rat::scale(divisors, selectors[block]) : 0;
      for (std::size_t i = begin; i < end; ++i) {
        keys[i] = Ord::forward(Rat::backward(keys[i], scale));
      }
    });
    return suit;
  }

 private:
  /// Bits of a word's fraction; words of fewer than 4 bytes are no fractions here.
  static constexpr unsigned kFraction = sizeof(W) == 8 ? 52 : sizeof(W) == 4 ? 23 : 0;

  template <class Work>
  static void for_blocks(std::size_t count, const Work& work) {
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
      work(begin / kBlock, begin, count - begin < kBlock ? count : begin + std::size_t(kBlock));
    }
  }

  /// Sets the integers of a block of keys and returns its selector: that of the least divisor with
  /// which all are exact, or 0.
  static std::uint8_t choose(const W* keys, std::size_t begin, std::size_t end,
                             const Divisors& offered, W* integers) {
    // With larger numerators, the words' own steps are hardly finer than the fractions'.
    constexpr W kMost = W(W{1} << (kFraction > 0 ? kFraction - 1 : 0));
    for (std::size_t d = 0; d < offered.count; ++d) {
      std::size_t i = begin;
      for (; i < end; ++i) {
        const W word = Ord::backward(keys[i]);
        if (!Rat::forward(word, double(offered.of[d]), integers[i])) break;
        if (W(integers[i] + kMost) >= 2 * kMost) break;
      }
      if (i == end) return std::uint8_t(d + 1);
    }
    for (std::size_t i = begin; i < end; ++i) {
      Rat::forward(Ord::backward(keys[i]), 0, integers[i]);
    }
    return 0;
  }

  /// Powers of ten, for decimals, and the power of two that makes integers of fifteen in sixteen
  /// keys, for numbers of a fixed point.
  static Divisors divisors_for(const W* keys, std::size_t count) {
    constexpr unsigned kMostShift = 53;
    std::size_t keys_of[kMostShift + 2] = {};
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned shift = shift_of(Ord::backward(keys[i]));
      ++keys_of[shift < kMostShift ? shift : kMostShift + 1];
    }
    unsigned shift = 0;
    for (std::size_t within = keys_of[0]; within < count - count / 16 && shift <= kMostShift;) {
      within += keys_of[++shift];
    }
    std::uint64_t two = shift >= 1 && shift < kMostShift ? std::uint64_t{1} << shift : 0;
    Divisors divisors;
    for (std::uint64_t ten = 1; divisors.count < kMostDivisors - 1; ten *= 10) {
      if (two != 0 && two < ten) {
        divisors.add(two);
        two = 0;
      }
      divisors.add(ten);
    }
    if (two != 0) divisors.add(two);
    return divisors;
  }
  /// The least s for which the word's value times 2^s is an integer; a large number if there is
  /// none that is small.
  static unsigned shift_of(W word) {
    constexpr unsigned kExponents = 8 * sizeof(W) - 1 - kFraction;
    constexpr W kHidden = W{1} << kFraction;
    const unsigned exponent = unsigned(word >> kFraction) & ((1u << kExponents) - 1);
    const W fraction = W(word & (kHidden - 1));
    if (exponent == 0 && fraction == 0) return 0;
    // The lowest bit that is set stands for 2^lowest, less what all exponents are biased by.
    const unsigned zeros = unsigned(std::countr_zero(W(fraction | kHidden)));
    const unsigned bias = (1u << (kExponents - 1)) - 1 + kFraction;
    return exponent + zeros >= bias ? 0 : bias - exponent - zeros;
  }
};

}  // namespace fpsynth::preludes
