#pragma once
// The bins of BINS: what of a word is a symbol, and what is left as raw bits.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

inline constexpr std::uint32_t kSymbols = 32;
/// Distances of a group's bin from the highest one of the block; a group that is farther away
/// counts as one at this distance. A group of special words alone has the class kSpecialGroup.
inline constexpr std::uint32_t kFarthest = 30, kSpecialGroup = 31;

/// Ways to map the words of a block before they are divided into bins.
enum class Map : std::uint8_t {
  Stored,     ///< not at all: the block holds the words themselves
  Unsigned,   ///< as they are
  Magnitude,  ///< two's complement to magnitude and, as the lowest bit, sign
  Float,      ///< the sign bit to the lowest place
  Positive,   ///< as they are: floats of one sign
};

/// The division of words of type W into bins. Bin 0 to w of integers hold the words of so many
/// bits; bins of floats are exponents. The lowest `zeros` bits of all words are 0 and left out.
/// `special` is a word that has a symbol of its own, and no bin.
template <class W>
struct Binning {
  static constexpr std::uint32_t w = words::kBits<W>;
  static constexpr bool kHasFloats = sizeof(W) > 1;
  /// Bits of a float below its exponent, where the sign is one of them; and how many of them may
  /// be left out.
  static constexpr std::uint32_t kBelow = w == 64 ? 53 : 24, kMostZeros = kBelow - 3;
  /// The bins from the group's downwards that are halved by the next bit, and all that have a
  /// symbol; words below have one symbol together.
  static constexpr std::uint32_t kHalved = 4, kOwn = 26;
  static constexpr std::uint32_t kBelowAll = kSymbols - 1;
  static_assert(1 + kHalved + kOwn == kBelowAll);

  Map map = Map::Stored;
  std::uint32_t zeros = 0;
  W special = 0;  ///< mapped

  FPSYNTH_INLINE static W magnitude(W word) {
    return W(W(word << 1) ^ W(W{0} - W(word >> (w - 1))));
  }
  FPSYNTH_INLINE static bool is_float(Map map) { return map == Map::Float || map == Map::Positive; }
  FPSYNTH_INLINE bool is_float() const { return is_float(map); }
  FPSYNTH_INLINE static std::uint32_t bits_of(W word) {
    if constexpr (sizeof(W) == 8) {
      return std::uint32_t(words::highest_bit(word) + 1);
    } else {
      return words::highest_bit32(word) + 1;
    }
  }

  FPSYNTH_INLINE W mapped(W word) const {
    if (map == Map::Float) {
      return W(W(W(W(word << 1) >> (zeros + 1)) << 1) | W(word >> (w - 1)));
    }
    return W((map == Map::Magnitude ? magnitude(word) : word) >> zeros);
  }
  FPSYNTH_INLINE W unmapped(W word) const {
    const W sign = word & 1, rest = word >> 1;
    return map == Map::Magnitude ? W(W(rest ^ W(W{0} - sign)) << zeros)
           : map == Map::Float   ? W(W(rest << zeros) | W(sign << (w - 1)))
                                 : W(word << zeros);
  }
  FPSYNTH_INLINE std::uint32_t bin(W mapped) const {
    return is_float() ? std::uint32_t(mapped >> below_exponent()) : bits_of(mapped);
  }

  /// Bits that a mapped float has below its exponent.
  FPSYNTH_INLINE std::uint32_t below_exponent() const {
    return (kBelow - (map == Map::Positive) - zeros) % w;
  }
  /// Bits that a word of a bin has below what the bin tells.
  FPSYNTH_INLINE std::uint32_t below(std::uint32_t bin) const {
    return is_float() ? below_exponent() : bin == 0 ? 0 : bin - 1;
  }
  /// Twice the bin of a mapped word, which is not special, and 1 if the bit behind the bin is set.
  FPSYNTH_INLINE std::uint32_t double_bin(W word) const {
    if (is_float()) return std::uint32_t(word >> ((below_exponent() - 1) % w));
    const std::uint32_t bits = bits_of(word);
    const std::uint32_t first_two = std::uint32_t(W(word << ((w - bits) % w)) >> (w - 2));
    return 2 * bits + first_two - 2;
  }
  /// The same in instructions that all processors have for vectors: by the exponent and the first
  /// bit of the fraction of the word as a float.
  FPSYNTH_INLINE std::uint32_t double_bin_by_float(W word) const {
    if (is_float()) return double_bin(word);
    // The third bit becomes 0, so that nothing is rounded up to the second one. Halves of the word
    // become the last bits of floats that are as great as is needed for that.
    const W first = word & W(~(word >> 2));
    if constexpr (sizeof(W) == 8) {
      const double high =
          std::bit_cast<double>(first >> 32 | 0x4530000000000000u) - 0x1.00000001p84;
      const double low = std::bit_cast<double>((first & 0xffffffff) | 0x4330000000000000u);
      return std::uint32_t(std::bit_cast<std::uint64_t>(high + low) >> 51) - 2 * 1022;
    } else {
      const std::uint32_t own = first;
      const float high = std::bit_cast<float>(own >> 16 | 0x53000000u) - 0x1.0001p39f;
      const float low = std::bit_cast<float>((own & 0xffff) | 0x4b000000u);
      return (std::bit_cast<std::uint32_t>(high + low) >> 22) - 2 * 126;
    }
  }
  /// The symbol of a mapped word in a group of bin `top`, which is not below the word's.
  FPSYNTH_INLINE std::uint32_t symbol(W word, std::uint32_t top) const {
    return symbol(word, top, double_bin(word));
  }
  FPSYNTH_INLINE std::uint32_t symbol(W word, std::uint32_t top, std::uint32_t double_bin) const {
    // Nothing branches: what comes next is hard to predict.
    const std::uint32_t half_distance = 2 * top + 1 - double_bin, distance = half_distance / 2;
    const std::uint32_t far = 1 + kHalved + (distance < kOwn ? distance : kOwn);
    const std::uint32_t symbol = distance < kHalved ? 1 + (half_distance ^ 1) : far;
    return word == special ? 0 : symbol;
  }
  /// The number of raw bits, the lowest ones of the mapped word, behind a possible symbol.
  FPSYNTH_INLINE std::uint32_t raw_bits(std::uint32_t symbol, std::uint32_t top) const {
    if (symbol == 0) return 0;
    if (symbol == kBelowAll) {
      return is_float() ? bits_of(W(W(W(top - kOwn + 1) << below_exponent()) - 1)) : top - kOwn;
    }
    const std::uint32_t rest = below(top - distance(symbol));
    return symbol <= 2 * kHalved && rest > 0 ? rest - 1 : rest;
  }
  /// True if a word of a group of bin `top` can have the symbol.
  FPSYNTH_INLINE bool possible(std::uint32_t symbol, std::uint32_t top) const {
    if (symbol == 0) return true;
    const std::uint32_t least = is_float() ? 0 : 1;
    if (symbol == kBelowAll) return top >= kOwn + least;
    const std::uint32_t far = distance(symbol);
    if (top < far + least) return false;
    // Of one bit, there is but one word.
    return is_float() || top - far > 1 || symbol > 2 * kHalved || symbol % 2 == 1;
  }
  /// The mapped word of a possible symbol and its raw bits.
  FPSYNTH_INLINE W word(std::uint32_t symbol, std::uint32_t top, W raw) const {
    if (symbol == 0) return special;
    if (symbol == kBelowAll) return raw;
    const std::uint32_t own = top - distance(symbol), rest = below(own);
    const W first = is_float() ? W(own) : W{1};
    W word = W(W(rest < w ? W(first << rest) : W{0}) | raw);
    if (symbol <= 2 * kHalved && rest > 0) word |= W(W((symbol - 1) % 2) << (rest - 1));
    return word;
  }

 private:
  FPSYNTH_INLINE static std::uint32_t distance(std::uint32_t symbol) {
    return symbol <= 2 * kHalved ? (symbol - 1) / 2 : symbol - 1 - kHalved;
  }
};

/// f(map), for teams that go word by word as a constant, which the compiler needs for tight loops.
template <bool Constant, class W, class F>
FPSYNTH_INLINE void with_map(Map map, F f) {
  if constexpr (!Constant) {
    f(map);
  } else {
    if (map == Map::Unsigned) f(std::integral_constant<Map, Map::Unsigned>{});
    if (map == Map::Magnitude) f(std::integral_constant<Map, Map::Magnitude>{});
    if constexpr (Binning<W>::kHasFloats) {
      if (map == Map::Float) f(std::integral_constant<Map, Map::Float>{});
      if (map == Map::Positive) f(std::integral_constant<Map, Map::Positive>{});
    }
  }
}

}  // namespace fpsynth::components::bins
