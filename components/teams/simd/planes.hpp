#pragma once
// Bit planes of groups of words on the simd team: tiles are transposed in memory on the stack, and
// the planes that are needed copied from there.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/planes.hpp"
#include "components/teams/simd/pack.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// The layout is that of kGroupWords and kTileWords. L is the level. Whole groups are done by
/// vectors; the last one, if it is shorter, bit by bit.
template <class L>
struct BitPlanes {
  template <class W>
  static std::size_t longest(const W* in, std::size_t n, std::uint8_t* bits) {
    const std::size_t whole = n / kGroupWords, rest = n % kGroupWords;
    std::size_t sum = 0;
    for (std::size_t g = 0; g < whole; ++g) {
      bits[g] = longest_of_group<W>(in + kGroupWords * g);
      sum += bits[g];
    }
    std::size_t bytes = planes_bytes(kGroupWords, sum);
    if (rest) {
      bits[whole] = longest_bits_of(in + kGroupWords * whole, rest);
      bytes += planes_bytes(rest, bits[whole]);
    }
    return bytes;
  }

  /// Up to 8 bytes after the planes, and what the planes of n words of all bits would take, are
  /// overwritten.
  template <class W>
  static void pack(const W* in, std::size_t n, const std::uint8_t* bits, std::uint8_t* out) {
    const std::size_t whole = n / kGroupWords;
    for (std::size_t g = 0; g < whole; g += kAtOnce<W>) {
      const std::size_t groups = whole - g < kAtOnce<W> ? whole - g : kAtOnce<W>;
      out = pack_some<W>(in + kGroupWords * g, groups, bits + g, out);
    }
    if (n % kGroupWords) pack_group(in + kGroupWords * whole, n % kGroupWords, bits[whole], out);
  }

  template <class W>
  static std::size_t unpack(const std::uint8_t* in, std::size_t most, const std::uint8_t* bits,
                            std::size_t n, W* out) {
    const std::size_t bytes = planes_bytes_of_block<W>(bits, n, most), whole = n / kGroupWords;
    if (bytes == kNoPlanes) return kNoPlanes;
    const std::uint8_t* const end = in + bytes;
    for (std::size_t g = 0; g < whole; g += kAtOnce<W>) {
      const std::size_t groups = whole - g < kAtOnce<W> ? whole - g : kAtOnce<W>;
      in = unpack_some<W>(in, end, groups, bits + g, out + kGroupWords * g);
    }
    if (n % kGroupWords) {
      W last[kGroupWords];
      if (!unpack_group(in, n % kGroupWords, bits[whole], last)) return kNoPlanes;
      std::memcpy(out + kGroupWords * whole, last, n % kGroupWords * sizeof(W));
    }
    return bytes;
  }

 private:
  using Planes = std::uint32_t;  ///< a plane of 32 words
  template <class W>
  static constexpr std::size_t w = words::kBits<W>;
  /// Groups that are transposed at a time.
  template <class W>
  static constexpr std::size_t kAtOnce = sizeof(W) < 4    ? 16 / sizeof(W)
                                         : sizeof(W) == 4 ? 1
                                                          : 2;

  template <class W>
  FPSYNTH_INLINE static std::uint8_t longest_of_group(const W* in) {
    constexpr std::size_t all = kGroupWords * sizeof(W), step = L::kBytes < all ? L::kBytes : all;
    using Vector = VectorOf<std::uint64_t, step>;
    Vector any{};
#pragma GCC unroll 8
    for (std::size_t at = 0; at < all; at += step) {
      Vector some;
      std::memcpy(&some, reinterpret_cast<const std::byte*>(in) + at, step);
      any |= some;
    }
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < step / 8; ++k) word |= any[k];
    for (std::size_t half = 32; half >= w<W>; half /= 2) word |= word >> half;
    return std::uint8_t(bits_of(static_cast<W>(word)));
  }

  /// Copies `bytes` bytes; a fixed number, which needs no branch, if that many may be accessed.
  template <std::size_t Most>
  FPSYNTH_INLINE static void copy(const void* from, std::size_t bytes, bool at_once, void* to) {
    constexpr std::size_t step = L::kBytes < Most ? L::kBytes : Most;
    const std::size_t end = at_once ? Most : bytes;
#pragma GCC unroll 16
    for (std::size_t at = 0; at < Most; at += step) {
      if (at >= end) break;
      VectorOf<std::uint8_t, step> some;
      std::memcpy(&some, static_cast<const std::byte*>(from) + at, step);
      std::memcpy(static_cast<std::byte*>(to) + at, &some, step);
    }
  }

  template <class W>
  FPSYNTH_INLINE static std::uint8_t* pack_some(const W* in, std::size_t groups,
                                                const std::uint8_t* bits, std::uint8_t* out) {
    alignas(64) W tiles[kAtOnce<W> * kGroupWords + 64 / sizeof(W)];
    if constexpr (sizeof(W) == 1) {
      L::template transpose_tiles<W>(in, groups * 4, tiles);
      for (std::size_t g = 0; g < groups; ++g) {
        const unsigned half = 4 * (8 - unsigned{bits[g]});  // a shift by 64 bits takes two
        for (std::size_t tile = 4 * g; tile < 4 * g + 4; ++tile, out += bits[g]) {
          std::uint64_t planes;
          std::memcpy(&planes, tiles + 8 * tile, 8);
          planes = planes >> half >> half;
          std::memcpy(out, &planes, 8);
        }
      }
      return out;
    } else if constexpr (sizeof(W) == 2) {
      L::template transpose_tiles<W>(in, groups * 2, tiles);
      for (std::size_t tile = 0; tile < 2 * groups; ++tile) {
        const std::size_t own = bits[tile / 2];
        copy<32>(tiles + 16 * tile + 16 - own, 0, true, out);
        out += 2 * own;
      }
      return out;
    } else {
      // Room for the planes of all bits behind the first one that is needed.
      alignas(64) Planes planes[kAtOnce<W>][2 * w<W>];
      planes_of<W>(in, groups, tiles, planes);
      for (std::size_t g = 0; g < groups; ++g) {
        copy<4 * w<W>>(planes[g] + w<W> - bits[g], 0, true, out);
        out += 4 * std::size_t{bits[g]};
      }
      return out;
    }
  }
  /// planes[g]: all planes of group g.
  template <class W>
  FPSYNTH_INLINE static void planes_of(const W* in, std::size_t groups, W* tile,
                                       Planes (*planes)[2 * w<W>]) {
    if constexpr (sizeof(W) == 4) {
      L::template transpose_tiles<W>(in, 1, planes[0]);
    } else {
      if (groups < 2) {
        // Half a tile.
        alignas(64) W padded[64] = {};
        std::memcpy(padded, in, kGroupWords * sizeof(W));
        L::template transpose_tiles<W>(padded, 1, tile);
      } else {
        L::template transpose_tiles<W>(in, 1, tile);
      }
      // The first group is in the high halves.
      constexpr std::size_t lanes = L::kBytes / sizeof(Planes);
      for (std::size_t k = 0; k < w<W>; k += lanes) {
        VectorOf<Planes, L::kBytes> low, high;
        std::memcpy(&low, tile + k, L::kBytes);
        std::memcpy(&high, tile + k + lanes / 2, L::kBytes);
        L::template separate<Planes>(low, high);
        std::memcpy(planes[0] + k, &high, L::kBytes);
        std::memcpy(planes[1] + k, &low, L::kBytes);
      }
    }
  }

  template <class W>
  FPSYNTH_INLINE static const std::uint8_t* unpack_some(const std::uint8_t* in,
                                                        const std::uint8_t* end, std::size_t groups,
                                                        const std::uint8_t* bits, W* out) {
    if constexpr (sizeof(W) == 1) {
      alignas(64) W tiles[kAtOnce<W> * kGroupWords];
      for (std::size_t g = 0; g < groups; ++g) {
        const unsigned half = 4 * (8 - unsigned{bits[g]});
        for (std::size_t tile = 4 * g; tile < 4 * g + 4; ++tile, in += bits[g]) {
          std::uint64_t planes;
          std::memcpy(&planes, in, 8);
          planes = planes << half << half;
          std::memcpy(tiles + 8 * tile, &planes, 8);
        }
      }
      L::template transpose_tiles<W>(tiles, groups * 4, out);
      return in;
    } else if constexpr (sizeof(W) == 2) {
      alignas(64) W tiles[kAtOnce<W> * kGroupWords + 16];
      for (std::size_t tile = 0; tile < 2 * groups; ++tile) {
        const std::size_t bytes = 2 * std::size_t{bits[tile / 2]};
        std::memset(tiles + 16 * tile, 0, 32);
        copy<32>(in, bytes, end - in >= 32, tiles + 16 * tile + 16 - bytes / 2);
        in += bytes;
      }
      L::template transpose_tiles<W>(tiles, groups * 2, out);
      return in;
    } else {
      alignas(64) Planes planes[kAtOnce<W>][2 * w<W>];
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t bytes = 4 * std::size_t{bits[g]};
        const bool at_once = std::size_t(end - in) >= 4 * w<W>;
        std::memset(planes[g], 0, 4 * w<W>);
        copy<4 * w<W>>(in, bytes, at_once, planes[g] + w<W> - bits[g]);
        in += bytes;
      }
      if (groups < kAtOnce<W>) std::memset(planes[groups], 0, 4 * w<W>);
      words_of<W>(planes, groups, out);
      return in;
    }
  }
  template <class W>
  FPSYNTH_INLINE static void words_of(const Planes (*planes)[2 * w<W>], std::size_t groups,
                                      W* out) {
    if constexpr (sizeof(W) == 4) {
      L::template transpose_tiles<W>(planes[0], 1, out);
    } else {
      alignas(64) W tile[64], words[64];
      constexpr std::size_t lanes = L::kBytes / sizeof(Planes);
      for (std::size_t k = 0; k < w<W>; k += lanes) {
        VectorOf<Planes, L::kBytes> low, high;
        std::memcpy(&low, planes[1] + k, L::kBytes);
        std::memcpy(&high, planes[0] + k, L::kBytes);
        L::template merge<Planes>(low, high);
        std::memcpy(tile + k, &low, L::kBytes);
        std::memcpy(tile + k + lanes / 2, &high, L::kBytes);
      }
      if (groups < 2) {
        L::template transpose_tiles<W>(tile, 1, words);
        std::memcpy(out, words, kGroupWords * sizeof(W));
      } else {
        L::template transpose_tiles<W>(tile, 1, out);
      }
    }
  }
};

}  // namespace fpsynth::teams
