#pragma once
// The team of a thread block of a GPU. Every lane has its own BlockTeam, made with the same
// arguments, and calls the same members in the same order; only phases differ by lane.
//
// A phase over bytes works on strips of 16 (StripItem). If the positions of bytes depend on the
// data, a lane works on a run of pairs of quads (PairItem, ByteSource, RunSink).

#include <cstddef>
#include <cstdint>

#include "components/teams/block_bytes.hpp"
#include "components/teams/block_lanes.hpp"
#include "components/teams/block_masks.hpp"
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
class BlockTeam : BlockBytes<H> {
  using Lanes = BlockLanes<H>;
  using Masks = BlockMasks<H>;
  using Lanes::hardware_, Lanes::lane, Lanes::lanes, Lanes::over_lanes, Lanes::over_votes;
  using Lanes::sum, Lanes::sums, Lanes::tables_;
  using Masks::kAny, Masks::my_bits;
  using BlockBytes<H>::compact_bytes, BlockBytes<H>::expand_bytes;
  using typename Masks::RankedBit;

 public:
  static constexpr bool kInOrder = false;

  FPSYNTH_INLINE static constexpr std::size_t memory_bytes(std::size_t block_bytes,
                                                           std::size_t lanes) {
    return block_team_bytes(block_bytes, lanes);
  }

  /// `memory`: block_team_bytes() bytes that belong to the thread block, the same for every lane.
  FPSYNTH_INLINE BlockTeam(H hardware, std::byte* memory) : BlockBytes<H>(hardware, memory) {}

  template <class W, class F>
  FPSYNTH_INLINE void for_each(std::size_t begin, std::size_t end, F f) {
    in_strips<W>(
        begin, end,
        [&](auto first, auto last) FPSYNTH_INLINED { each_item<W>(hardware_, first, last, f); },
        [&](auto first, auto last) FPSYNTH_INLINED { each_strip(first, last, f); });
  }
  /// The free put_each() calls it.
  template <class W, class F>
  FPSYNTH_INLINE void put_each(std::size_t begin, std::size_t end, W* out, F f) {
    const auto put = [=](auto item, auto value) { item.store(out, value); };
    in_strips<W>(
        begin, end,
        [&](auto from, auto to) FPSYNTH_INLINED { each_item<W>(hardware_, from, to, f, put); },
        [&](auto first, auto last) FPSYNTH_INLINED {
          in_turns(
              first + 16 * lane(), last, 16 * lanes(),
              [&](std::uint32_t i) { return f(StripItem{i}); },
              [&](std::uint32_t i, auto strip) { put(StripItem{i}, strip); });
        });
  }
  template <class F>
  FPSYNTH_INLINE void single(F f) {
    if (lane() == 0) f();
  }
  using Lanes::barrier;

  using Masks::flags;
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

  /// The counts of components::count_block(); without `Nonzero`, the words that are not zero are
  /// left out. Needs none of the masks. The first warp counts.
  template <class W, bool Nonzero = true>
  FPSYNTH_INLINE BlockCounts block_counts(const W* in, std::size_t n, std::uint64_t*,
                                          std::uint64_t*, std::uint64_t*) {
    barrier();
    BlockCounts found;
    if (lane() < hardware_.warp_lanes()) found = WarpCounter<H, Nonzero>(hardware_).count(in, n);
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
      return this->template each_bit<W>(
          mask, std::uint32_t(n), kAny,
          [&](auto item, RankedBit) { return static_cast<W>(f(item)); },
          [&](auto, RankedBit bit, W value) {
            if (bit.set) out[bit.rank] = value;
          });
    }
  }
  template <class W>
  FPSYNTH_INLINE bool expand(std::size_t n, const std::uint64_t* mask, const W* values,
                             std::size_t count, W* out) {
    if constexpr (sizeof(W) == 1) {
      return expand_bytes(
          std::uint32_t(n), mask, values, std::uint32_t(count), out,
          [this](NineBytes next, std::uint32_t bits) { return tables_.expanded(next, bits); });
    } else {
      return expand_words(std::uint32_t(n), mask, std::uint32_t(count), out,
                          [=](RankedBit bit) { return bit.set ? values[bit.rank] : W{0}; });
    }
  }
  template <class W>
  FPSYNTH_INLINE bool expand_last(std::size_t n, const std::uint64_t* mask, const W* values,
                                  std::size_t count, W* out) {
    if constexpr (sizeof(W) == 1) {
      return expand_bytes(
          std::uint32_t(n), mask, values - 1, std::uint32_t(count), out,
          [this](NineBytes next, std::uint32_t bits) { return tables_.expanded_last(next, bits); });
    } else {
      return expand_words(std::uint32_t(n), mask, std::uint32_t(count), out,
                          [=](RankedBit bit) { return values[bit.rank + bit.set - 1]; });
    }
  }

  template <bool Down, class Begin, class Ask, class Go>
  FPSYNTH_INLINE std::size_t run_states(std::size_t states, std::size_t n, std::uint32_t* state,
                                        std::size_t count, Begin begin, Ask ask, Go go, auto) {
    barrier();
    const std::uint32_t width = hardware_.warp_lanes(), some = std::uint32_t(states);
    std::uint32_t all = std::uint32_t(count);
    if (width == 1) {
      if (lane() == 0) all = std::uint32_t(states_alone<Down>(some, n, state, all, begin, ask, go));
    } else if (lane() < width) {
      std::uint32_t own = lane() < some ? state[lane()] : 0;
      const std::uint32_t rows = std::uint32_t(words::words_for(n, states));
      for (std::uint32_t k = 0; k < rows; ++k) {
        const std::uint32_t row = Down ? rows - 1 - k : k, i = row * some + lane();
        const auto with = begin(row * some / kGroupWords, all);
        if (with.ends) break;
        const bool active = lane() < some && i < n;
        const std::uint32_t one = active ? ask(with, i, own) : 0;
        const std::uint32_t votes = hardware_.ballot(one != 0);
        const std::uint32_t before = Down ? votes >> lane() >> 1 : votes & ((1u << lane()) - 1);
        if (active) go(with, i, own, one, all + words::count_bits32(before));
        all += words::count_bits32(votes);
      }
      if (lane() < some) state[lane()] = own;
    }
    return sum(lane() == 0 ? all : 0);
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
      const auto found = over_votes(op, mine);
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
      using Interval = decltype(length(mine));
      with_values<kEach>(
          [=](std::uint32_t k)
              FPSYNTH_INLINED { return mine + k < count ? length(mine + k) : Interval{}; },
          [&](auto... intervals) FPSYNTH_INLINED {
            const std::uint32_t all = (std::uint32_t(std::size_t(intervals)) + ...);
            const auto offsets = over_lanes(words::Plus{}, all);
            std::uint32_t i = mine, begin = base + offsets.before;
            const auto lay_one = [&](auto interval) FPSYNTH_INLINED {
              const bool inside = i < count && begin < n;
              if (inside) call_with_interval(f, std::size_t{i}, std::size_t{begin}, interval);
              begin += std::uint32_t(std::size_t(interval));
              meets = meets || (inside && begin == n);
              ++i;
            };
            (lay_one(intervals), ...);
            base += offsets.all;
          });
    }
    return hardware_.any(meets);
  }
  FPSYNTH_INLINE void flip(std::uint64_t* mask, std::size_t bit, std::uint64_t on) {
    // In little-endian order, half a mask word is a 32-bit word, on which atomics are fastest.
    if (on)
      hardware_.atomic_xor(reinterpret_cast<std::uint32_t*>(mask) + bit / 32, 1u << (bit % 32));
  }

  FPSYNTH_INLINE void put_bits(std::uint32_t* cells, std::size_t bit, std::uint64_t number) {
    std::uint32_t* const cell = cells + bit / 32;
    const std::uint32_t shift = std::uint32_t(bit % 32);
    const std::uint64_t low = number << shift;
    const std::uint32_t parts[] = {std::uint32_t(low), std::uint32_t(low >> 32),
                                   shift > 0 ? std::uint32_t(number >> (64 - shift)) : 0};
    for (int k = 0; k < 3; ++k) {
      if (parts[k] != 0) hardware_.atomic_or(cell + k, parts[k]);
    }
  }
  FPSYNTH_INLINE void add(std::uint32_t* counter, std::uint32_t amount) {
    hardware_.atomic_add(counter, amount);
  }
  /// out[i] = f(in[i], in[i - distance]), or f(in[i], 0) for the first bytes. Returns false,
  /// without doing it, for distances above 8 and blocks that are not aligned: for_each() does it
  /// for any, with more instructions, and bank conflicts.
  template <class F>
  FPSYNTH_INLINE bool with_prior(const std::uint8_t* in, std::size_t n, std::size_t distance,
                                 std::uint8_t* out, F f) {
    if (distance == 0 || distance > 8 || reinterpret_cast<std::uintptr_t>(out) % 16 != 0) {
      return false;
    }
    const std::uint32_t end = std::uint32_t(n), strips = end / 16;
    if (distance > 4) {
      each_with_prior<true>(in, strips, std::uint32_t(distance), out, f);
    } else {
      each_with_prior<false>(in, strips, std::uint32_t(distance), out, f);
    }
    each_item<std::uint8_t>(hardware_, 16 * strips, end, [=](auto item) {
      const bool first = item.i < distance;
      item.store(out, f(item.load(in),
                        first ? std::uint8_t{0} : item.load(in, -std::ptrdiff_t(distance))));
    });
    return true;
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
  /// run_states() in a block of one lane.
  template <bool Down, class Begin, class Ask, class Go>
  FPSYNTH_INLINE static std::size_t states_alone(std::uint32_t states, std::size_t n,
                                                 std::uint32_t* state, std::size_t count,
                                                 Begin begin, Ask ask, Go go) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = Down ? n - 1 - k : k;
      const auto with = begin(i / kGroupWords, count);
      if (with.ends) break;
      const std::uint32_t one = ask(with, i, state[i % states]);
      go(with, i, state[i % states], one, count);
      count += one;
    }
    return count;
  }
  /// strips(first, last) for aligned strips of bytes, and items(first, last) for the single bytes
  /// at both ends, or for all words. For these, `strips` need not compile.
  template <class W, class Items, class Strips>
  FPSYNTH_INLINE static void in_strips(std::size_t begin, std::size_t end, Items items,
                                       Strips strips) {
    const std::uint32_t first = std::uint32_t(begin), last = std::uint32_t(end);
    if constexpr (sizeof(W) == 1) {
      const std::uint32_t up = (first + 15) / 16 * 16, down = last / 16 * 16;
      if (up < down) {
        if (first < up) items(first, up);
        strips(up, down);
        if (down < last) items(down, last);
        return;
      }
    }
    items(first, last);
  }
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

  /// Strips that a lane takes one after the other. As it is odd, those of eight lanes are in
  /// different banks.
  static constexpr std::uint32_t kRunStrips = 7;

  /// with_prior() of whole strips. `Far`: the distance is more than 4.
  template <bool Far, class F>
  FPSYNTH_INLINE void each_with_prior(const std::uint8_t* in, std::uint32_t strips,
                                      std::uint32_t distance, std::uint8_t* out, F f) {
    const std::uint32_t turn = kRunStrips * lanes(), whole = strips / turn * turn;
    std::uint32_t first = 0;
    FPSYNTH_UNROLL
    for (; first < whole; first += turn) {
      run_with_prior<Far, kRunStrips>(in, first + kRunStrips * lane(), distance, out, f);
    }
    FPSYNTH_UNROLL
    for (; first < strips; first += lanes()) {
      if (first + lane() < strips) run_with_prior<Far, 1>(in, first + lane(), distance, out, f);
    }
  }
  /// The same of `Count` strips, the first of which is number `strip`.
  template <bool Far, std::uint32_t Count, class F>
  FPSYNTH_INLINE static void run_with_prior(const std::uint8_t* in, std::uint32_t strip,
                                            std::uint32_t distance, std::uint8_t* out, F f) {
    Strip strips[Count + 1];
    strips[0] = strip == 0 ? Strip(0) : StripItem{16 * (strip - 1)}.load(in);
    FPSYNTH_UNROLL
    for (std::uint32_t k = 0; k < Count; ++k) strips[k + 1] = StripItem{16 * (strip + k)}.load(in);
    FPSYNTH_UNROLL
    for (std::uint32_t k = 0; k < Count; ++k) {
      const Strip here = strips[k + 1];
      StripItem{16 * (strip + k)}.store_aligned(
          out, f(here, here.template after<Far>(strips[k], distance)));
    }
  }

  /// The number of items for which a predicate is true.
  FPSYNTH_INLINE static std::uint32_t held(bool value) { return value; }
  FPSYNTH_INLINE static std::uint32_t held(const Strip::Flags& flags) { return flags.count(); }

  /// out[i] = value(item i's bit). Returns false, without writing, if the number of set bits of the
  /// mask is not `count`.
  template <class W, class Value>
  FPSYNTH_INLINE bool expand_words(std::uint32_t n, const std::uint64_t* mask, std::uint32_t count,
                                   W* out, Value value) {
    return count == this->template each_bit<W>(
                        mask, n, count, [&](auto, RankedBit bit) { return value(bit); },
                        [=](auto item, RankedBit, W word) { out[item.i] = word; });
  }
};
static_assert(Team<BlockTeam<DeclaredHardware>>);

}  // namespace fpsynth::teams
