#pragma once
// The team of a thread block of a GPU. Every lane has its own BlockTeam, made with the same
// arguments, and calls the same members in the same order; only phases differ by lane.
//
// A phase over bytes works on strips of 16 (StripItem). If the positions of bytes depend on the
// data, a lane works on a run of quads (QuadItem, ByteSource, RunSink).

#include <cstddef>
#include <cstdint>

#include "components/teams/block_lanes.hpp"
#include "components/teams/block_permutations.hpp"
#include "components/teams/block_planes.hpp"
#include "components/teams/block_scan.hpp"
#include "components/teams/byte_stream.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/item.hpp"
#include "components/teams/strip.hpp"
#include "components/teams/team.hpp"
#include "components/teams/warp_counter.hpp"

namespace fpsynth::teams {

template <Hardware H>
class BlockTeam : BlockPlanes<H> {
  using Lanes = BlockLanes<H>;
  using Lanes::count_before, Lanes::counts, Lanes::half_word, Lanes::hardware_, Lanes::lane;
  using Lanes::lanes, Lanes::make_tables, Lanes::my_bits, Lanes::over_lanes, Lanes::sum,
      Lanes::sums, Lanes::tables_;
  using typename Lanes::RankedBit;

 public:
  static constexpr bool kInOrder = false;

  FPSYNTH_INLINE static constexpr std::size_t memory_bytes(std::size_t block_bytes,
                                                           std::size_t lanes) {
    return block_team_bytes(block_bytes, lanes);
  }

  /// `memory`: block_team_bytes() bytes that belong to the thread block, the same for every lane.
  FPSYNTH_INLINE BlockTeam(H hardware, std::byte* memory) : BlockPlanes<H>(hardware, memory) {}

  template <class W, class F>
  FPSYNTH_INLINE void for_each(std::size_t begin, std::size_t end, F f) {
    const std::uint32_t first = std::uint32_t(begin), last = std::uint32_t(end);
    if constexpr (sizeof(W) == 1) {
      // Aligned strips; single bytes at both ends.
      const std::uint32_t up = (first + 15) / 16 * 16, down = last / 16 * 16;
      if (up < down) {
        if (first < up) each_item<W>(hardware_, first, up, f);
        each_strip(up, down, f);
        if (down < last) each_item<W>(hardware_, down, last, f);
        return;
      }
    }
    each_item<W>(hardware_, first, last, f);
  }
  template <class F>
  FPSYNTH_INLINE void single(F f) {
    if (lane() == 0) f();
  }
  using Lanes::barrier;

  template <class W, class F>
  FPSYNTH_INLINE void flags(std::size_t n, std::uint64_t* mask, F f) {
    barrier();
    const std::uint32_t bits = std::uint32_t(words::words_for(n, 64) * 64);
    if constexpr (sizeof(W) == 1) {
      for (std::uint32_t i = 16 * lane(); i < bits; i += 16 * lanes()) {
        std::uint32_t votes = 0;
        if (i < n) votes = f(StripItem{i}).bits() & std::uint32_t(words::low_mask(n - i));
        Item<std::uint16_t>{i / 16}.store(mask, votes);
      }
    } else {
      const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
      for (std::uint32_t first = lane() - in_warp; first < bits; first += lanes()) {
        const std::uint32_t i = first + in_warp;
        const std::uint32_t votes = hardware_.ballot(i < n && f(Item<W>{i}));
        if (in_warp == 0) put_bits(mask, first, votes, width);
      }
    }
    barrier();
  }
  template <class W, class F>
  FPSYNTH_INLINE std::size_t count_if(std::size_t n, F f) {
    barrier();
    std::uint32_t count = 0;
    for_each<W>(0, n, [&](auto item) { count += held(f(item)); });
    return sum(count);
  }
  FPSYNTH_INLINE std::size_t count_bits(const std::uint64_t* mask, std::size_t n) {
    barrier();
    return sum(my_bits(mask, std::uint32_t(n)));
  }
  FPSYNTH_INLINE Counts count_bits(const std::uint64_t* first, const std::uint64_t* second,
                                   std::size_t n) {
    barrier();
    const std::uint32_t ones = my_bits(first, std::uint32_t(n));
    return sums(ones, my_bits(second, std::uint32_t(n)));
  }

  /// What components::count_block() gives. Needs no scratch memory. The first warp counts.
  template <class W>
  FPSYNTH_INLINE BlockCounts block_counts(const W* in, std::size_t n, std::uint64_t*,
                                          std::uint64_t*, std::uint64_t*) {
    barrier();
    BlockCounts found;
    if (lane() < hardware_.warp_lanes()) found = WarpCounter<H>(hardware_).count(in, n);
    if (lanes() > hardware_.warp_lanes()) {
      found.words = of_first_lane(found.words);
      found.bytes = of_first_lane(found.bytes);
    }
    return found;
  }

  template <class W, class F>
  FPSYNTH_INLINE std::size_t compact(std::size_t n, const std::uint64_t* mask, W* out, F f) {
    if constexpr (sizeof(W) == 1) {
      return compact_bytes(std::uint32_t(n), mask, out, f);
    } else {
      const std::uint32_t count = count_before(mask, std::uint32_t(n));
      const std::uint32_t* const before = counts();
      each_item<W>(hardware_, 0, std::uint32_t(n), [&](auto item) {
        const RankedBit bit(before, mask, item.i);
        if (bit.set) out[bit.rank] = static_cast<W>(f(item));
      });
      barrier();
      return count;
    }
  }
  template <class W>
  FPSYNTH_INLINE bool expand(std::size_t n, const std::uint64_t* mask, const W* values,
                             std::size_t count, W* out) {
    if constexpr (sizeof(W) == 1) {
      return expand_bytes(std::uint32_t(n), mask, values, std::uint32_t(count), out,
                          [this](const ByteSource& source, std::uint32_t bits) {
                            return tables_.expanded(source.four(), bits);
                          });
    } else {
      return expand_words(std::uint32_t(n), mask, std::uint32_t(count), out,
                          [=](RankedBit bit) { return bit.set ? values[bit.rank] : W{0}; });
    }
  }
  template <class W>
  FPSYNTH_INLINE bool expand_last(std::size_t n, const std::uint64_t* mask, const W* values,
                                  std::size_t count, W* out) {
    if constexpr (sizeof(W) == 1) {
      return expand_bytes(std::uint32_t(n), mask, values - 1, std::uint32_t(count), out,
                          [this](const ByteSource& source, std::uint32_t bits) {
                            return tables_.expanded_last(source.four(), source.fifth(), bits);
                          });
    } else {
      return expand_words(std::uint32_t(n), mask, std::uint32_t(count), out,
                          [=](RankedBit bit) { return values[bit.rank + bit.set - 1]; });
    }
  }

  using BlockPlanes<H>::longest_bits, BlockPlanes<H>::pack_planes, BlockPlanes<H>::unpack_planes;
  using BlockScan<H>::scan;
  template <class W, class Op, class Value, class Use>
  FPSYNTH_INLINE void with_prefix(Op op, std::size_t n, W*, Value value, Use use) {
    barrier();
    std::uint32_t base = 0;
    for (std::uint32_t first = 0; first < n; first += lanes()) {
      const Item<W> item{first + lane()};
      const std::uint32_t mine = item.i < n ? std::uint32_t(value(item)) : 0;
      const auto found = over_lanes(op, mine);
      if (item.i < n) use(item, W{op(base, found.before)});
      base = op(base, found.all);
    }
    barrier();
  }

  template <class Length, class F>
  FPSYNTH_INLINE bool lay(std::size_t count, std::size_t n, Length length, F f) {
    constexpr std::uint32_t kEach = 4;  // adjacent intervals per lane
    barrier();
    std::uint32_t base = 0;
    bool meets = false;
    for (std::uint32_t first = 0; first < count && base < n; first += kEach * lanes()) {
      const std::uint32_t mine = first + kEach * lane();
      std::uint32_t lengths[kEach], all = 0;
      for (std::uint32_t k = 0; k < kEach; ++k) {
        lengths[k] = mine + k < count ? std::uint32_t(length(mine + k)) : 0;
        all += lengths[k];
      }
      const auto offsets = over_lanes(words::Plus{}, all);
      std::uint32_t begin = base + offsets.before;
      for (std::uint32_t k = 0; k < kEach; ++k) {
        if (mine + k >= count || begin >= n) break;
        f(mine + k, begin);
        begin += lengths[k];
        meets = meets || begin == n;
      }
      base += offsets.all;
    }
    return hardware_.any(meets);
  }
  FPSYNTH_INLINE void flip(std::uint64_t* mask, std::size_t bit, std::uint64_t on) {
    // In little-endian order, half a mask word is a 32-bit word, on which atomics are fastest.
    if (on)
      hardware_.atomic_xor(reinterpret_cast<std::uint32_t*>(mask) + bit / 32, 1u << (bit % 32));
  }

  template <class W>
  FPSYNTH_INLINE void transpose_tiles(const W* in, std::size_t tiles, W* out) {
    if constexpr (sizeof(W) == 1) {
      each_item<std::uint64_t>(hardware_, 0, std::uint32_t(tiles),
                               [=](auto tile) { tile.store(out, transposed_8x8(tile.load(in))); });
    } else if (hardware_.warp_lanes() == 1) {
      transpose_alone(in, std::uint32_t(tiles), out);
    } else {
      transpose_by_warps(hardware_, in, std::uint32_t(tiles), out);
    }
  }
  template <class W>
  FPSYNTH_INLINE void deinterleave(const W* in, std::size_t n, std::size_t k, W* out) {
    deinterleave_by_lanes(hardware_, in, n, k, out);
  }
  template <class W>
  FPSYNTH_INLINE void interleave(const W* in, std::size_t n, std::size_t k, W* out) {
    interleave_by_lanes(hardware_, in, n, k, out);
  }

 private:
  /// f(item) for every strip.
  template <class F>
  FPSYNTH_INLINE void each_strip(std::uint32_t begin, std::uint32_t end, F f) {
    const std::uint32_t step = 16 * lanes(), whole = begin + (end - begin) / step * step;
    for (std::uint32_t i = begin; i < whole; i += step) f(StripItem{i + 16 * lane()});
    if (whole + 16 * lane() < end) f(StripItem{whole + 16 * lane()});
  }
  FPSYNTH_INLINE WordCounts of_first_lane(const WordCounts& found) {
    const bool first = lane() == 0;
    const Counts two = sums(first ? found.nonzero : 0, first ? found.literals : 0);
    return {std::uint32_t(two.first), std::uint32_t(two.second), sum(first ? found.tokens : 0)};
  }

  /// The number of items for which a predicate is true.
  FPSYNTH_INLINE static std::uint32_t held(bool value) { return value; }
  FPSYNTH_INLINE static std::uint32_t held(const StripFlags& flags) { return flags.count(); }

  /// Stores the bits of a warp's items at bit `first` of a mask.
  FPSYNTH_INLINE static void put_bits(std::uint64_t* mask, std::uint32_t first, std::uint32_t bits,
                                      std::uint32_t width) {
    if (width == 32) {
      Item<std::uint32_t>{first / 32}.store(mask, bits);
    } else {
      const std::uint64_t before = first % 64 ? mask[first / 64] : 0;
      mask[first / 64] = before | std::uint64_t{bits} << (first % 64);
    }
  }
  /// The quads of a run of bytes that a lane takes at a time. Their number is odd, so that words at
  /// the same place of 32 runs are in 32 banks: 13 if one warp has the whole block, of which it
  /// then takes 8 KiB in five steps, and 9 if 256 lanes have 8 KiB.
  FPSYNTH_INLINE std::uint32_t run_quads() const { return lanes() == 32 ? 13 : 9; }

  /// A lane's run in the current step of a loop over a block of n bytes with a mask.
  struct Run {
    std::uint32_t begin;      ///< 0 if there is nothing left for this lane
    std::uint32_t low, high;  ///< bits of the mask

    FPSYNTH_INLINE std::uint32_t count() const {
      return words::count_bits32(low) + words::count_bits32(high);
    }
    /// The bits of quad k.
    FPSYNTH_INLINE std::uint32_t four(std::uint32_t k) const {
      return (k < 8 ? low >> 4 * k : high >> 4 * (k - 8)) & 0xf;
    }
  };
  FPSYNTH_INLINE Run run(const std::uint64_t* mask, std::uint32_t n, std::uint32_t first) const {
    const std::uint32_t bytes = 4 * run_quads(), begin = bytes * (first + lane());
    if (begin >= n) return {0, 0, 0};
    const std::uint32_t word = begin / 64, shift = begin % 64;
    std::uint64_t bits = mask[word] >> shift;
    if (shift + bytes > 64 && 64 * (word + 1) < n) bits |= mask[word + 1] << (64 - shift);
    bits &= words::low_mask(n - begin < bytes ? n - begin : bytes);
    return {begin, std::uint32_t(bits), std::uint32_t(bits >> 32)};
  }

  template <class F>
  FPSYNTH_INLINE std::size_t compact_bytes(std::uint32_t n, const std::uint64_t* mask,
                                           std::uint8_t* out, F f) {
    make_tables();
    const std::uint32_t quads = run_quads();
    std::uint32_t base = 0;
    for (std::uint32_t first = 0; 4 * quads * first < n; first += lanes()) {
      barrier();
      const std::uint32_t before = std::uint32_t(reinterpret_cast<std::uintptr_t>(out + base) % 4);
      std::uint8_t* const begun = out + base - before;
      const std::uint32_t overwritten = load_four(begun);
      const Run mine = run(mask, n, first);
      const std::uint32_t count = mine.count();
      const auto found = over_lanes(words::Plus{}, count);
      std::uint8_t* to = out + base + found.before;
      // If no lane of the warp has many set bits, going bit by bit is faster.
      const bool few = hardware_.ballot(count > quads) == 0;
      RunSink sink(to);
      if (!few) {
        FPSYNTH_UNROLL
        for (std::uint32_t k = 0; k < quads; ++k) {
          const Quad quad = f(QuadItem{mine.begin + 4 * k});
          const auto kept = tables_.squeezed(quad.bytes, mine.four(k));
          sink.put(kept.bytes, kept.bits);
        }
      }
      barrier();
      // Another lane may have overwritten what was in the first word before.
      for (std::uint32_t k = 0; lane() == 0 && k < before; ++k) {
        begun[k] = std::uint8_t(overwritten >> 8 * k);
      }
      if (few) {
        for (std::uint32_t half = 0; half < 2; ++half) {
          for (std::uint32_t rest = half ? mine.high : mine.low; rest != 0; rest &= rest - 1) {
            *to++ = std::uint8_t(
                f(Item<std::uint8_t>{mine.begin + 32 * half + words::lowest_bit32(rest)}));
          }
        }
      } else {
        sink.finish();
      }
      base += found.all;
    }
    barrier();
    return base;
  }
  /// out[i] = value(item i's bit). Returns false, without writing, if the number of set bits of the
  /// mask is not `count`.
  template <class W, class Value>
  FPSYNTH_INLINE bool expand_words(std::uint32_t n, const std::uint64_t* mask, std::uint32_t count,
                                   W* out, Value value) {
    if (count_before(mask, n) != count) return false;
    const std::uint32_t* const before = counts();
    each_item<W>(hardware_, 0, n,
                 [&](auto item) { out[item.i] = value(RankedBit(before, mask, item.i)); });
    barrier();
    return true;
  }
  /// Returns false, without reading values, if the number of set bits of the mask is not `count`.
  template <class Expand>
  FPSYNTH_INLINE bool expand_bytes(std::uint32_t n, const std::uint64_t* mask,
                                   const std::uint8_t* values, std::uint32_t count,
                                   std::uint8_t* out, Expand expand) {
    make_tables();
    const std::uint32_t quads = run_quads();
    const bool at_once = n <= 4 * quads * lanes();
    if (!at_once && count_bits(mask, n) != count) return false;
    barrier();
    std::uint32_t base = 0;
    for (std::uint32_t first = 0; 4 * quads * first < n; first += lanes()) {
      const Run mine = run(mask, n, first);
      const auto found = over_lanes(words::Plus{}, mine.count());
      if (at_once && found.all != count) return false;
      ByteSource source(values + base + found.before);
      const std::uint32_t begin = 4 * quads * (first + lane());
      FPSYNTH_UNROLL
      for (std::uint32_t k = 0; k < quads; ++k) {
        const std::uint32_t four = mine.four(k);
        if (begin + 4 * k < n) QuadItem{begin + 4 * k}.store(out, {expand(source, four)});
        source.skip(words::count_bits32(four));
      }
      base += found.all;
    }
    barrier();
    return true;
  }
};
static_assert(Team<BlockTeam<DeclaredHardware>>);

}  // namespace fpsynth::teams
