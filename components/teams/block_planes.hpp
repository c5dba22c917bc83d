#pragma once
// Bit planes of groups of words by the lanes of a thread block.

#include <cstddef>
#include <cstdint>

#include "components/teams/block_permutations.hpp"
#include "components/teams/block_scan.hpp"
#include "components/teams/byte_stream.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/planes.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Adds longest_bits(), pack_planes() and unpack_planes() to what lanes share. All lanes call them.
/// A lane takes groups of bytes, and a warp groups of longer words, a word with each lane. (In a
/// block of one lane, that lane takes groups of any words.)
template <Hardware H>
class BlockPlanes : protected BlockScan<H> {
  using Lanes = BlockLanes<H>;

 protected:
  using BlockScan<H>::BlockScan;
  using Lanes::barrier, Lanes::counts, Lanes::hardware_, Lanes::lane, Lanes::lanes;
  using Lanes::over_lanes, Lanes::sum, Lanes::sums;

 public:
  template <class W>
  FPSYNTH_INLINE std::size_t longest_bits(const W* in, std::size_t n, std::uint8_t* bits) {
    barrier();
    const std::uint32_t groups = std::uint32_t(group_count(n));
    std::uint32_t bytes = 0;
    if (by_lanes<W>()) {
      for (std::uint32_t g = lane(); g < groups; g += lanes()) {
        const std::uint32_t some = std::uint32_t(words_of_group(n, g));
        bits[g] = longest_bits_of(in + kGroupWords * g, some);
        bytes += std::uint32_t(planes_bytes(some, bits[g]));
      }
    } else {
      for (std::uint32_t g = lane() / 32; g < groups; g += lanes() / 32) {
        const std::uint32_t i = std::uint32_t(kGroupWords) * g + lane() % 32;
        const std::uint32_t mine = i < n ? bits_of(in[i]) : 0;
        const std::uint32_t most = hardware_.reduce(words::Max{}, mine);
        if (lane() % 32 == 0) {
          bits[g] = std::uint8_t(most);
          bytes += std::uint32_t(planes_bytes(words_of_group(n, g), most));
        }
      }
    }
    return sum(bytes);
  }

  template <class W>
  FPSYNTH_INLINE void pack_planes(const W* in, std::size_t n, const std::uint8_t* bits,
                                  std::uint8_t* out) {
    each_group<W>(n, bits, [&](auto g, std::uint32_t some, std::uint32_t begin) FPSYNTH_INLINED {
      const W* const from = in + kGroupWords * g;
      std::uint8_t* const to = out + begin;
      if constexpr (sizeof(W) > 1) {
        if (!by_lanes<W>()) return pack_by_warp(from, some, bits[g], to);
      }
      pack_by_lane(from, some, bits[g], to);
    });
  }

  template <class W>
  FPSYNTH_INLINE std::size_t unpack_planes(const std::uint8_t* in, std::size_t most,
                                           const std::uint8_t* bits, std::size_t n, W* out) {
    barrier();
    std::uint32_t bytes = 0, wrong = 0;
    for (std::uint32_t g = lane(); g < group_count(n); g += lanes()) {
      bytes += std::uint32_t(planes_bytes(words_of_group(n, g), bits[g]));
      wrong += bits[g] > words::kBits<W>;
    }
    const Counts found = sums(bytes, wrong);
    if (found.second != 0 || found.first > most) return kNoPlanes;
    bool good = true;
    each_group<W>(n, bits, [&](std::uint32_t g, std::uint32_t some, std::uint32_t begin) {
      const std::uint8_t* const from = in + begin;
      W* const to = out + kGroupWords * g;
      if constexpr (sizeof(W) > 1) {
        if (!by_lanes<W>()) {
          good &= unpack_by_warp(from, some, bits[g], to);
          return;
        }
      }
      good &= unpack_by_lane(from, some, bits[g], to);
    });
    return hardware_.any(!good) ? kNoPlanes : found.first;
  }

 private:
  /// True if a lane, and not a warp, takes a group.
  template <class W>
  FPSYNTH_INLINE bool by_lanes() const {
    return sizeof(W) == 1 || hardware_.warp_lanes() == 1;
  }

  /// f(g, words, begin) for every group, where `begin` is how many bytes of planes are before it:
  /// called by the lane, or by all lanes of the warp, that takes it.
  template <class W, class F>
  FPSYNTH_INLINE void each_group(std::size_t n, const std::uint8_t* bits, F f) {
    barrier();
    const std::uint32_t groups = std::uint32_t(group_count(n));
    std::uint32_t* const begins = counts();
    std::uint32_t base = 0;
    for (std::uint32_t first = 0; first < groups; first += lanes()) {
      const std::uint32_t g = first + lane();
      const std::uint32_t some = g < groups ? std::uint32_t(words_of_group(n, g)) : 0;
      const std::uint32_t mine = g < groups ? std::uint32_t(planes_bytes(some, bits[g])) : 0;
      const auto found = over_lanes(words::Plus{}, mine);
      if (by_lanes<W>()) {
        if (g < groups) f(g, some, base + found.before);
      } else if (g < groups) {
        begins[g] = base + found.before;
      }
      base += found.all;
    }
    barrier();
    if (by_lanes<W>()) return;
    for (std::uint32_t g = lane() / 32; g < groups; g += lanes() / 32) {
      f(g, std::uint32_t(words_of_group(n, g)), begins[g]);
    }
    barrier();
  }

  template <class W>
  FPSYNTH_INLINE static void pack_by_lane(const W* in, std::uint32_t n, std::uint32_t bits,
                                          std::uint8_t* out) {
    if (sizeof(W) > 1 || n < kGroupWords) return pack_group(in, n, bits, out);
    ByteSink sink(out);
    const std::uint32_t half = 4 * (8 - bits);
    for (std::uint32_t tile = 0; tile < 4; ++tile) {
      const std::uint64_t rows = Item<std::uint64_t>{tile}.load(in);
      const std::uint64_t planes = transposed_8x8(rows) >> half >> half;
      const std::uint32_t first = bits < 4 ? bits : 4;
      sink.put({std::uint32_t(planes), 8 * first});
      sink.put({std::uint32_t(planes >> 32), 8 * (bits - first)});
    }
    sink.finish();
  }
  template <class W>
  FPSYNTH_INLINE static bool unpack_by_lane(const std::uint8_t* in, std::uint32_t n,
                                            std::uint32_t bits, W* out) {
    if (sizeof(W) > 1 || n < kGroupWords) return unpack_group(in, n, bits, out);
    ByteSource source(in);
    const std::uint32_t half = 4 * (8 - bits);
    for (std::uint32_t tile = 0; tile < 4; ++tile) {
      const NineBytes next = source.next();
      // The bytes after the planes' are shifted out.
      const std::uint64_t planes = std::uint64_t{next.high} << 32 | next.low;
      Item<std::uint64_t>{tile}.store(out, transposed_8x8(planes << half << half));
      source.skip(bits);
    }
    return true;
  }

  /// The planes of a group's words are the rows of the transposed squares of 32 x 32 bits, of which
  /// the first has the words' highest bits. A lane has a row of each. A row of words of 16 bits is
  /// in the lower half of the lanes, and has a plane of each of two tiles.
  template <class W>
  static constexpr std::uint32_t kSquares = sizeof(W) == 2 ? 1 : words::kBits<W> / 32;
  /// Bytes of a plane of the first and of the second tile of n words of 16 bits.
  struct TwoTiles {
    std::uint32_t first, second;
    FPSYNTH_INLINE explicit TwoTiles(std::uint32_t n)
        : first(n < 16 ? (n + 7) / 8 : 2), second(n < 16 ? 0 : (n - 16 + 7) / 8) {}
  };

  template <class W>
  FPSYNTH_INLINE void pack_by_warp(const W* in, std::uint32_t n, std::uint32_t bits,
                                   std::uint8_t* out) {
    const std::uint32_t in_warp = lane() % 32, bytes = (n + 7) / 8;
    const W word = in_warp < n ? in[in_warp] : W{0};
    for (std::uint32_t square = 0; square < kSquares<W>; ++square) {
      const std::uint32_t row = std::uint32_t(word >> 32 * (kSquares<W> - 1 - square));
      const std::uint32_t plane = transposed_square(hardware_, row);
      // Planes before the first one that is written wrap around.
      const std::uint32_t k = 32 * square + in_warp - (32 * kSquares<W> - bits);
      if constexpr (sizeof(W) == 2) {
        const TwoTiles tiles(n);
        if (k < bits) {
          put_plane(plane, tiles.first, out + k * tiles.first);
          put_plane(plane << 16, tiles.second, out + bits * tiles.first + k * tiles.second);
        }
      } else {
        if (k < bits) put_plane(plane, bytes, out + k * bytes);
      }
    }
  }
  /// Writes the highest `bytes` bytes of a plane of 32 bits.
  FPSYNTH_INLINE static void put_plane(std::uint32_t plane, std::uint32_t bytes,
                                       std::uint8_t* out) {
    if (bytes == 4) return store_four(out, plane);
    for (std::uint32_t b = 0; b < bytes; ++b) out[b] = std::uint8_t(plane >> 8 * (4 - bytes + b));
  }
  /// The inverse.
  FPSYNTH_INLINE static std::uint32_t plane_at(const std::uint8_t* in, std::uint32_t bytes) {
    if (bytes == 4) return load_four(in);
    std::uint32_t plane = 0;
    for (std::uint32_t b = 0; b < bytes; ++b) plane |= std::uint32_t{in[b]} << 8 * (4 - bytes + b);
    return plane;
  }
  template <class W>
  FPSYNTH_INLINE bool unpack_by_warp(const std::uint8_t* in, std::uint32_t n, std::uint32_t bits,
                                     W* out) {
    const std::uint32_t in_warp = lane() % 32, bytes = (n + 7) / 8;
    W word = 0;
    for (std::uint32_t square = 0; square < kSquares<W>; ++square) {
      const std::uint32_t k = 32 * square + in_warp - (32 * kSquares<W> - bits);
      std::uint32_t plane = 0;
      if constexpr (sizeof(W) == 2) {
        const TwoTiles tiles(n);
        if (k < bits) {
          plane = plane_at(in + k * tiles.first, tiles.first) |
                  plane_at(in + bits * tiles.first + k * tiles.second, tiles.second) >> 16;
        }
        word = W(transposed_square(hardware_, plane));
      } else {
        if (k < bits) plane = plane_at(in + k * bytes, bytes);
        word |= W(transposed_square(hardware_, plane)) << 32 * (kSquares<W> - 1 - square);
      }
    }
    if (in_warp < n) out[in_warp] = word;
    return in_warp < n || word == 0;
  }
};

}  // namespace fpsynth::teams
