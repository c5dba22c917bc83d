#pragma once
// Bit planes of groups of 32 words: the layout that pack_planes() and unpack_planes() of the teams
// have in common, and the obvious code for it.

#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// A block is cut into groups of kGroupWords words, the last one maybe shorter, and these into
/// tiles of kTileWords. A tile of n words that have b bits is written as b planes, the most
/// significant first. A plane has one bit of every word, in ceil(n/8) bytes, a little-endian number
/// whose highest bit is that of the first word; bits past the last word are 0. So the planes of a
/// tile of w words are the last b words of the tile that transpose_tiles() makes of them.
inline constexpr std::size_t kGroupWords = 32;
/// Bits of a symbol's share of a state's values, where it stands together with others.
inline constexpr std::uint32_t kShareBits = 12;
template <class W>
inline constexpr std::size_t kTileWords = words::kBits<W> < 32 ? words::kBits<W> : 32;

/// The result of unpack_planes() if there are no such planes.
inline constexpr std::size_t kNoPlanes = ~std::size_t{0};

/// The groups of a block.
FPSYNTH_INLINE constexpr std::size_t group_count(std::size_t n) {
  return words::words_for(n, kGroupWords);
}
/// The words of group g of a block of n words.
FPSYNTH_INLINE constexpr std::size_t words_of_group(std::size_t n, std::size_t g) {
  return n - kGroupWords * g < kGroupWords ? n - kGroupWords * g : kGroupWords;
}
/// The bytes of all planes of a group of n words with `bits` bits: of b planes of every tile.
FPSYNTH_INLINE constexpr std::size_t planes_bytes(std::size_t n, std::size_t bits) {
  return bits * words::words_for(n, 8);
}

/// Bits that a word needs; 0 for 0.
FPSYNTH_INLINE constexpr std::uint32_t bits_of(std::uint64_t word) {
  return std::uint32_t(words::highest_bit(word) + 1);
}

/// The bits of the longest of n words.
template <class W>
FPSYNTH_INLINE std::uint8_t longest_bits_of(const W* in, std::size_t n) {
  W any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= in[i];
  return std::uint8_t(bits_of(any));
}

/// Writes the planes of a tile of n words with `bits` bits.
template <class W>
FPSYNTH_INLINE void pack_tile(const W* in, std::size_t n, std::size_t bits, std::uint8_t* out) {
  const std::size_t bytes = words::words_for(n, 8);
  for (std::size_t bit = bits; bit-- > 0; out += bytes) {
    std::uint32_t plane = 0;
    for (std::size_t i = 0; i < n; ++i) {
      plane |= std::uint32_t(in[i] >> bit & 1) << (8 * bytes - 1 - i);
    }
    for (std::size_t k = 0; k < bytes; ++k) out[k] = std::uint8_t(plane >> 8 * k);
  }
}
/// The inverse. False if a bit past the last word is set.
template <class W>
FPSYNTH_INLINE bool unpack_tile(const std::uint8_t* in, std::size_t n, std::size_t bits, W* out) {
  const std::size_t bytes = words::words_for(n, 8);
  for (std::size_t i = 0; i < n; ++i) out[i] = 0;
  std::uint32_t past = 0;
  for (std::size_t bit = bits; bit-- > 0; in += bytes) {
    std::uint32_t plane = 0;
    for (std::size_t k = 0; k < bytes; ++k) plane |= std::uint32_t{in[k]} << 8 * k;
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<W>(out[i] | W(plane >> (8 * bytes - 1 - i) & 1) << bit);
    }
    past |= plane & std::uint32_t(words::low_mask(8 * bytes - n));
  }
  return past == 0;
}

/// The planes of a group of n words, tile after tile.
template <class W>
FPSYNTH_INLINE void pack_group(const W* in, std::size_t n, std::size_t bits, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; i += kTileWords<W>) {
    const std::size_t some = n - i < kTileWords<W> ? n - i : kTileWords<W>;
    pack_tile(in + i, some, bits, out);
    out += planes_bytes(some, bits);
  }
}
/// The inverse. False if a bit past the last word is set.
template <class W>
FPSYNTH_INLINE bool unpack_group(const std::uint8_t* in, std::size_t n, std::size_t bits, W* out) {
  bool good = true;
  for (std::size_t i = 0; i < n; i += kTileWords<W>) {
    const std::size_t some = n - i < kTileWords<W> ? n - i : kTileWords<W>;
    good &= unpack_tile(in, some, bits, out + i);
    in += planes_bytes(some, bits);
  }
  return good;
}

/// The bytes of the planes of all groups of a block of n words, whose bits are given; kNoPlanes if
/// they are more than `most` or a word has not so many bits.
template <class W>
FPSYNTH_INLINE std::size_t planes_bytes_of_block(const std::uint8_t* bits, std::size_t n,
                                                 std::size_t most) {
  std::size_t bytes = 0;
  bool good = true;
  const std::size_t groups = group_count(n);
  for (std::size_t g = 0; g < groups; ++g) {
    good &= bits[g] <= words::kBits<W>;
    bytes += planes_bytes(words_of_group(n, g), bits[g]);
  }
  return good && bytes <= most ? bytes : kNoPlanes;
}

}  // namespace fpsynth::teams
