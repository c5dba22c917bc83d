#pragma once
// The bins of BINS: what of a word is a symbol, and what is left as raw bits.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

inline constexpr std::uint32_t kSymbols = 128;
/// Distances of a group's bin from the highest one of the block; a group that is farther away
/// counts as one at this distance. A group of special words alone has the class kSpecialGroup.
inline constexpr std::uint32_t kFarthest = 14, kSpecialGroup = 15, kClasses = 16;
/// The most bits behind a bin that are part of the symbol.
inline constexpr std::uint32_t kMostParts = 6;

/// Ways to map the words of a block before they are divided into bins.
enum class Map : std::uint8_t {
  Stored,     ///< not at all: the block holds the words themselves
  Unsigned,   ///< as they are
  Magnitude,  ///< two's complement to magnitude and, as the lowest bit, sign
  Float,      ///< the sign bit to the lowest place
  Positive,   ///< as they are: floats of one sign
};

/// The division of words of type W into bins. Bin 0 to w of integers hold the words of so many
/// bits; bins of floats are exponents. Each is divided by the `parts` bits behind the leading one,
/// or behind the exponent: bin and parts of a word are its key, which ascends with the word. The
/// lowest `zeros` bits of all words are 0 and left out. `special` is a word that has a symbol of
/// its own, and no bin.
template <class W>
struct Binning {
  static constexpr std::uint32_t w = words::kBits<W>;
  static constexpr bool kHasFloats = sizeof(W) > 1;
  /// Bits of a float below its exponent, where the sign is one of them, of words of 16 bits those
  /// of a bfloat16; and how many of them may be left out.
  static constexpr std::uint32_t kBelow = w == 64 ? 53 : w == 32 ? 24 : 8, kMostZeros = kBelow - 3;
  /// The keys from the highest one of the group's bin downwards that have a symbol; words below
  /// have one symbol together.
  static constexpr std::uint32_t kOwn = kSymbols - 2, kBelowAll = kSymbols - 1;

  Map map = Map::Stored;
  std::uint32_t zeros = 0;
  W special = 0;  ///< mapped
  std::uint32_t parts = 1;

  // T: a word, or a pack of words.
  template <class T>
  FPSYNTH_INLINE static T magnitude(T word) {
    return T(T(word << 1) ^ T(W{0} - T(word >> int(w - 1))));
  }
  /// The most parts that words with this map and these zeros can have.
  FPSYNTH_INLINE std::uint32_t most_parts() const {
    const std::uint32_t most = is_float() ? below_exponent() : w - 2;
    return most < kMostParts ? most : kMostParts;
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

  template <class T>
  FPSYNTH_INLINE T mapped(T word) const {
    if (map == Map::Float) {
      return T(T(T(T(word << 1) >> int(zeros + 1)) << 1) | T(word >> int(w - 1)));
    }
    return T((map == Map::Magnitude ? magnitude(word) : word) >> int(zeros));
  }
  template <class T>
  FPSYNTH_INLINE T unmapped(T word) const {
    const T sign = T(word & W{1}), rest = T(word >> 1);
    return map == Map::Magnitude ? T(T(rest ^ T(W{0} - sign)) << int(zeros))
           : map == Map::Float   ? T(T(rest << int(zeros)) | T(sign << int(w - 1)))
                                 : T(word << int(zeros));
  }
  FPSYNTH_INLINE std::uint32_t bin(W mapped) const {
    return is_float() ? std::uint32_t(mapped >> below_exponent()) : bits_of(mapped);
  }

  /// Bits that a mapped float has below its exponent.
  FPSYNTH_INLINE std::uint32_t below_exponent() const {
    return (kBelow - (map == Map::Positive) - zeros) % w;
  }
  /// The key of a mapped word, which is not special.
  FPSYNTH_INLINE std::uint32_t key(W word) const {
    if (is_float()) return std::uint32_t(word >> ((below_exponent() - parts) % w));
    const std::uint32_t bits = bits_of(word), rest = bits > parts + 1 ? bits - 1 - parts : 0;
    return (rest << parts) + std::uint32_t(word >> rest);
  }
  /// The same of an integer of at least 32 bits, in instructions that all processors have for
  /// vectors: by the exponent and the first bits of the fraction of the word as a float.
  FPSYNTH_INLINE std::uint32_t key_by_float(W word) const {
    // The bit behind those of the key becomes 0, so that nothing is rounded up to these. Halves of
    // the word become the last bits of floats that are as great as is needed for that.
    const W first = word & W(~(word >> (parts + 1)));
    std::uint32_t key;
    if constexpr (sizeof(W) == 8) {
      const double high =
          std::bit_cast<double>(first >> 32 | 0x4530000000000000u) - 0x1.00000001p84;
      const double low = std::bit_cast<double>((first & 0xffffffff) | 0x4330000000000000u);
      key = std::uint32_t(std::bit_cast<std::uint64_t>(high + low) >> (52 - parts)) -
            ((1022 + parts) << parts);
    } else {
      const std::uint32_t own = first;
      const float high = std::bit_cast<float>(own >> 16 | 0x53000000u) - 0x1.0001p39f;
      const float low = std::bit_cast<float>((own & 0xffff) | 0x4b000000u);
      key = (std::bit_cast<std::uint32_t>(high + low) >> (23 - parts)) - ((126 + parts) << parts);
    }
    const std::uint32_t small = 0u - std::uint32_t{word < W(W{2} << parts)};
    return (std::uint32_t(word) & small) | (key & ~small);
  }
  /// The highest key of a bin.
  FPSYNTH_INLINE std::uint32_t last_key(std::uint32_t bin) const {
    if (is_float()) return ((bin + 1) << parts) - 1;
    const std::uint32_t rest = bin > parts + 1 ? bin - 1 - parts : 0;
    return (rest << parts) + (1u << (bin - rest)) - 1;
  }
  /// The symbol of a mapped word with a key, which is not above `last`, that of its group's bin.
  FPSYNTH_INLINE std::uint32_t symbol(W word, std::uint32_t key, std::uint32_t last) const {
    // Nothing branches: what comes next is hard to predict.
    const std::uint32_t distance = last - key, own = 1 + (distance < kOwn ? distance : kOwn);
    return own & (0u - std::uint32_t{word != special});
  }
  /// The raw bits behind the symbol of all words that have one together, if `last` is the last key.
  FPSYNTH_INLINE std::uint32_t raw_below_all(std::uint32_t last) const {
    return last < kOwn ? 0 : bits_of(W(first_word(last - kOwn + 1) - 1));
  }
  /// The raw bits behind a word with a key, where raw_below_all() is `below_all`.
  FPSYNTH_INLINE std::uint32_t raw_of_key(std::uint32_t key, std::uint32_t last,
                                          std::uint32_t below_all) const {
    const std::uint32_t own = rest_of(key);
    return last - key < kOwn ? own : below_all;
  }
  /// The number of raw bits, the lowest ones of the mapped word, behind a possible symbol.
  FPSYNTH_INLINE std::uint32_t raw_bits(std::uint32_t symbol, std::uint32_t last,
                                        std::uint32_t below_all) const {
    const std::uint32_t own = rest_of(last - (symbol - 1));
    return symbol == 0 ? 0 : symbol == kBelowAll ? below_all : own;
  }
  FPSYNTH_INLINE std::uint32_t raw_bits(std::uint32_t symbol, std::uint32_t last) const {
    return raw_bits(symbol, last, symbol == kBelowAll ? raw_below_all(last) : 0);
  }
  /// True if a word of a group whose bin has the last key `last` can have the symbol.
  FPSYNTH_INLINE bool possible(std::uint32_t symbol, std::uint32_t last) const {
    return symbol <= last + 1;
  }
  /// The mapped word of a possible symbol and its raw bits.
  FPSYNTH_INLINE W word(std::uint32_t symbol, std::uint32_t last, W raw) const {
    if (symbol == 0) return special;
    return symbol == kBelowAll ? raw : W(first_word(last - (symbol - 1)) | raw);
  }

 private:
  /// The bits of a word with a key that do not follow from it.
  FPSYNTH_INLINE std::uint32_t rest_of(std::uint32_t key) const {
    const std::uint32_t step = key >> parts;
    return is_float() ? below_exponent() - parts : step > 1 ? step - 1 : 0;
  }
  FPSYNTH_INLINE W first_word(std::uint32_t key) const {
    const std::uint32_t rest = rest_of(key), left = is_float() ? key : key - (rest << parts);
    return rest < w ? W(W(left) << rest) : W{0};
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
