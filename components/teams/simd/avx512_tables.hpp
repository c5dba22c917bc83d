#pragma once
// Permutation indices of the AVX-512 level, computed at compile time.

#include <array>
#include <cstddef>
#include <cstdint>

namespace fpsynth::teams::avx512 {

/// For DIMn and, of bytes, strided scans, per stride k and word size.
template <class W>
struct Stride {
  static constexpr std::size_t kLanes = 64 / sizeof(W);
  /// Those of scans, in bytes; and those of which a pack has two words, and 3 and 5.
  static constexpr std::size_t kCount = sizeof(W) == 1 ? 64 : kLanes < 10 ? 5 : kLanes / 2;
  alignas(64) W source[kLanes] = {};  ///< lane i * k, modulo the lanes of a pack
  alignas(64) W row[kLanes] = {};     ///< i div k
  alignas(64) W phase[kLanes] = {};   ///< i mod k
  std::uint64_t lanes[64] = {};       ///< [part]: the lanes i whose i * k lies in that pack
  std::uint64_t residues[64] = {};    ///< [r]: the lanes i with i mod k = r
  std::size_t turn = 0;               ///< lanes mod k
};

template <class W>
constexpr std::array<Stride<W>, Stride<W>::kCount> make_strides() {
  std::array<Stride<W>, Stride<W>::kCount> strides{};
  for (std::size_t k = 1; k <= strides.size(); ++k) {
    Stride<W>& stride = strides[k - 1];
    for (std::size_t i = 0; i < Stride<W>::kLanes; ++i) {
      stride.source[i] = W(i * k % Stride<W>::kLanes);
      stride.row[i] = W(i / k);
      stride.phase[i] = W(i % k);
      stride.lanes[i * k / Stride<W>::kLanes] |= std::uint64_t{1} << i;
      stride.residues[i % k] |= std::uint64_t{1} << i;
    }
    stride.turn = Stride<W>::kLanes % k;
  }
  return strides;
}

/// Even and odd words of two packs, and their merge.
template <class W>
struct Pairs {
  static constexpr std::size_t kLanes = 64 / sizeof(W);
  alignas(64) W even[kLanes] = {}, odd[kLanes] = {}, low[kLanes] = {}, high[kLanes] = {};
  constexpr Pairs() {
    for (std::size_t i = 0; i < kLanes; ++i) {
      even[i] = W(2 * i);
      odd[i] = W(2 * i + 1);
      low[i] = W(i / 2 + i % 2 * kLanes);
      high[i] = W(kLanes / 2 + i / 2 + i % 2 * kLanes);
    }
  }
};

/// For 64 x 64 bits: `columns` moves the bytes of 8 words, most significant first, to one 64-bit
/// lane per byte position; `planes` moves 8 bit planes of 8 bytes back to 8 words.
struct Tile64 {
  alignas(64) std::uint8_t columns[64] = {}, planes[64] = {};
  constexpr Tile64() {
    for (unsigned a = 0; a < 8; ++a) {
      for (unsigned b = 0; b < 8; ++b) {
        columns[8 * a + b] = std::uint8_t(8 * b + 7 - a);
        planes[8 * a + 7 - b] = std::uint8_t(8 * b + a);
      }
    }
  }
};

/// 32 x 32 bits in two packs of 16 words: lane 2c + g of a pack holds byte position c of the words
/// 8g..8g + 7; `low` and `high` merge the bit planes of two such packs.
struct Tile32 {
  alignas(64) std::uint8_t columns[64] = {}, low[64] = {}, high[64] = {};
  constexpr Tile32() {
    for (unsigned c = 0; c < 4; ++c) {
      for (unsigned g = 0; g < 4; ++g) {
        for (unsigned p = 0; p < 8; ++p) {
          if (g < 2) columns[8 * (2 * c + g) + p] = std::uint8_t(4 * (8 * g + p) + 3 - c);
          auto& planes = c < 2 ? low : high;
          planes[4 * (8 * (c % 2) + p) + 3 - g] =
              std::uint8_t(g / 2 * 64 + 8 * (2 * c + g % 2) + p);
        }
      }
    }
  }
};

/// Two tiles of 16 x 16 bits: `columns` moves the bytes of 8 words at one position, the most
/// significant first, to one 64-bit lane; `planes` moves the bit planes back.
struct Tiles16 {
  alignas(64) std::uint8_t columns[64] = {}, planes[64] = {};
  constexpr Tiles16() {
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned tile = i / 32 * 32, c = i / 16 % 2, g = i / 8 % 2, p = i % 8;
      columns[i] = std::uint8_t(tile + 2 * (8 * g + p) + 1 - c);
      planes[tile + 2 * (8 * c + p) + 1 - g] = std::uint8_t(i);
    }
  }
};

struct Iota {
  alignas(64) std::uint8_t bytes[64] = {};
  constexpr Iota() {
    for (unsigned i = 0; i < 64; ++i) bytes[i] = std::uint8_t(i);
  }
};

template <class W>
inline constexpr auto kStrides = make_strides<W>();
template <class W>
inline constexpr Pairs<W> kPairs;
inline constexpr Tile64 kTile64;
inline constexpr Tile32 kTile32;
inline constexpr Tiles16 kTiles16;
inline constexpr Iota kIota;

}  // namespace fpsynth::teams::avx512
