#pragma once
// Shuffle indices of the AVX2 level, computed at compile time. (pext and pdep would need no tables,
// but are slow on AMD processors before Zen 3 and share one port on Intel's.)

#include <cstddef>
#include <cstdint>

namespace fpsynth::teams::avx2 {

/// For every set of 8 lanes, 8 bytes, lane 0 in the lowest.
struct Lanes8 {
  std::uint64_t kept[256] = {};       ///< the numbers of the set lanes, in order
  std::uint64_t kept_high[256] = {};  ///< the same, of lanes 8 to 15
  /// the number of set lanes before each set lane; 0x80, which shuffles to 0, for the others
  std::uint64_t places[256] = {};
  std::uint64_t before[256] = {};  ///< the number of set lanes before each lane

  constexpr Lanes8() {
    for (unsigned set = 0; set < 256; ++set) {
      std::uint64_t count = 0;
      for (std::uint64_t lane = 0; lane < 8; ++lane) {
        const bool is_set = set >> lane & 1;
        if (is_set) kept[set] |= lane << (8 * count);
        if (is_set) kept_high[set] |= (lane + 8) << (8 * count);
        places[set] |= (is_set ? count : 0x80) << (8 * lane);
        before[set] |= count << (8 * lane);
        count += is_set;
      }
    }
  }
};
// Not inline, as two levels have it: each has a copy.
constexpr Lanes8 kLanes8;

/// For every set of 4 lanes of 64 bits, the 32-bit halves of the set lanes, in order, as bytes.
struct Halves4 {
  std::uint64_t kept[16] = {};
  constexpr Halves4() {
    for (unsigned set = 0; set < 16; ++set) {
      std::uint64_t count = 0;
      for (std::uint64_t lane = 0; lane < 4; ++lane) {
        if (set >> lane & 1) kept[set] |= (2 * lane | (2 * lane + 1) << 8) << (16 * count++);
      }
    }
  }
};
inline constexpr Halves4 kHalves4;

/// The bits that dimension d of K has in the low and in the high half of byte c of K bytes, where
/// they are among the eight of its bits that are in all K bytes: [d][c][half][bits of the half].
template <std::size_t K>
struct GatheredBits {
  alignas(16) std::uint8_t of[K][K][2][16] = {};
  constexpr GatheredBits() {
    for (std::size_t bit = 0; bit < 8 * K; ++bit) {
      const std::size_t half = bit % 8 / 4;
      for (unsigned bits = 0; bits < 16; ++bits) {
        of[bit % K][bit / 8][half][bits] |= std::uint8_t((bits >> bit % 4 & 1) << bit / K);
      }
    }
  }
};
template <std::size_t K>
inline constexpr GatheredBits<K> kGatheredBits;

}  // namespace fpsynth::teams::avx2
