#pragma once
// Building blocks of the collectives of a thread block: reductions and prefix sums over its lanes.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/teams/byte_stream.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/item.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Bytes of the partial results of several warps, of which there are two sets.
FPSYNTH_INLINE constexpr std::size_t partials_bytes(std::size_t lanes) {
  return lanes > 32 ? 8 * 32 * 2 : 0;
}
/// Bytes of a thread block's memory, aligned to 16, that its team needs for blocks of up to
/// `block_bytes` bytes.
FPSYNTH_INLINE constexpr std::size_t block_team_bytes(std::size_t block_bytes, std::size_t lanes) {
  // One warp has neither partial results nor words of its lanes.
  const std::size_t partials = partials_bytes(lanes), words = partials > 0 ? 8 * lanes : 0;
  // Counts are needed only for words of at least 2 bytes.
  const std::size_t counts = 4 * words::words_for(block_bytes, 2 * 32);
  return QuadTables::kBytes + partials + ((counts > words ? counts : words) + 15) / 16 * 16;
}

/// f(item) for items begin..end - 1, one at a time, each on one of the lanes.
template <class W, Hardware H, class F>
FPSYNTH_INLINE void each_item(H& hardware, std::uint32_t begin, std::uint32_t end, F f) {
  const std::uint32_t lane = hardware.lane(), lanes = hardware.lanes();
  // The last items apart, so that the compiler can unroll the loop if it knows how many there are.
  const std::uint32_t whole = begin + (end - begin) / lanes * lanes;
  for (std::uint32_t i = begin; i < whole; i += lanes) f(Item<W>{i + lane});
  if (whole + lane < end) f(Item<W>{whole + lane});
}

/// use(get(0), get(1), ..., get(Count - 1)), in this order. Values have names, as less optimization
/// leaves an array in a lane's own memory.
template <std::uint32_t Count, class Get, class Use, class... Values>
FPSYNTH_INLINE void with_values(Get get, Use use, Values... values) {
  if constexpr (sizeof...(values) < Count) {
    with_values<Count>(get, use, values..., get(std::uint32_t(sizeof...(values))));
  } else {
    use(values...);
  }
}

/// put(i, get(i)) for i = first, first + step, ... below `end`. A lane reads some before it writes
/// them: the compiler does not know that what is written is not what is read next, so that it would
/// wait for each.
template <std::uint32_t Together = 4, class Get, class Put>
FPSYNTH_INLINE void in_turns(std::uint32_t first, std::uint32_t end, std::uint32_t step, Get get,
                             Put put) {
  std::uint32_t i = first;
  for (; i + (Together - 1) * step < end; i += Together * step) {
    with_values<Together>([=](std::uint32_t k) FPSYNTH_INLINED { return get(i + k * step); },
                          [=](auto... values) FPSYNTH_INLINED {
                            std::uint32_t at = i;
                            ((put(at, values), at += step), ...);
                          });
  }
  for (; i < end; i += step) put(i, get(i));
}
/// put(item, get(item)) for the items from `begin` to `end`, each on one of the lanes.
template <class W, Hardware H, class Get, class Put>
FPSYNTH_INLINE void each_item(H& hardware, std::uint32_t begin, std::uint32_t end, Get get,
                              Put put) {
  in_turns(
      begin + hardware.lane(), end, hardware.lanes(),
      [&](std::uint32_t i) { return get(Item<W>{i}); },
      [&](std::uint32_t i, auto value) { put(Item<W>{i}, value); });
}

/// True if the thread block is one warp of a GPU's size.
template <Hardware H>
FPSYNTH_INLINE bool is_one_warp(const H& hardware) {
  return hardware.lanes() == 32 && hardware.warp_lanes() == 32;
}

/// A lane's view of its thread block. All lanes call all members.
template <Hardware H>
class BlockLanes {
 protected:
  /// `memory`: block_team_bytes() bytes that belong to the thread block, the same for every lane.
  FPSYNTH_INLINE BlockLanes(H hardware, std::byte* memory)
      : hardware_(hardware),
        tables_(memory),
        work_(memory + QuadTables::kBytes + partials_bytes(hardware.lanes())),
        partials_(reinterpret_cast<std::uint64_t*>(memory + QuadTables::kBytes)) {}

  FPSYNTH_INLINE std::uint32_t lanes() const { return hardware_.lanes(); }
  FPSYNTH_INLINE std::uint32_t lane() const { return hardware_.lane(); }
  FPSYNTH_INLINE void barrier() { hardware_.barrier(); }

  template <class T>
  struct Found {
    T before;  ///< op over the lanes below this one; 0 for the first
    T all;     ///< op over all lanes
  };
  /// Has one barrier. Two sets of partial results alternate, so that a slow lane can still read the
  /// previous set.
  template <class Op, class T>
  FPSYNTH_INLINE Found<T> over_lanes(Op op, T value) {
    const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
    T upto = value;
    for (std::uint32_t d = 1; d < width; d *= 2) {
      const T below = hardware_.shuffle_up(upto, d);
      if (in_warp >= d) upto = op(below, upto);
    }
    Found<T> found{hardware_.shuffle_up(upto, 1), 0};
    if (in_warp == 0) found.before = 0;
    if (lanes() == width) {
      found.all = hardware_.shuffle(upto, width - 1);
      barrier();
      return found;
    }
    T* const partials = next_partials<T>();
    if (in_warp == width - 1) partials[lane() / width] = upto;
    barrier();
    const std::uint32_t warps = lanes() / width, warp = lane() / width;
    if constexpr (sizeof(T) == 4) {
      if (width > 1) {
        const T partial = in_warp < warps ? partials[in_warp] : 0;
        found.before = op(hardware_.reduce(op, in_warp < warp ? partial : 0), found.before);
        found.all = hardware_.reduce(op, partial);
        return found;
      }
    }
    T below{0};
    for (std::uint32_t w = 0; w < warps; ++w) {
      if (w == warp) below = found.all;
      found.all = op(found.all, partials[w]);
    }
    found.before = op(below, found.before);
    return found;
  }
  /// over_lanes() of values that are 0 or 1, or, for words::Max, of which those other than 0
  /// ascend. One warp finds them by a vote.
  template <class Op>
  FPSYNTH_INLINE Found<std::uint32_t> over_votes(Op op, std::uint32_t value) {
    if (!is_one_warp(hardware_)) return over_lanes(op, value);
    const std::uint32_t all = hardware_.ballot(value != 0), before = all & ((1u << lane()) - 1);
    if constexpr (std::is_same_v<Op, words::Xor>) {
      return {words::count_bits32(before) & 1, words::count_bits32(all) & 1};
    } else {
      static_assert(std::is_same_v<Op, words::Max>);
      const auto value_of = [&](std::uint32_t votes) {
        const std::uint32_t last = hardware_.shuffle(value, words::highest_bit32(votes) % 32);
        return votes != 0 ? last : 0;
      };
      return {value_of(before), value_of(all)};
    }
  }
  FPSYNTH_INLINE std::uint32_t sum(std::uint32_t value) { return sums(value, 0).first; }
  /// Two sums with one barrier, as for a single sum.
  FPSYNTH_INLINE Counts sums(std::uint32_t first, std::uint32_t second) {
    const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
    const std::uint32_t low = hardware_.reduce(words::Plus{}, first);
    const std::uint32_t high = hardware_.reduce(words::Plus{}, second);
    if (lanes() == width) {
      barrier();
      return {low, high};
    }
    std::uint64_t* const partials = next_partials<std::uint64_t>();
    if (in_warp == 0) partials[lane() / width] = std::uint64_t{high} << 32 | low;
    barrier();
    const std::uint64_t partial = in_warp < lanes() / width ? partials[in_warp] : 0;
    return {hardware_.reduce(words::Plus{}, std::uint32_t(partial)),
            hardware_.reduce(words::Plus{}, std::uint32_t(partial >> 32))};
  }

  /// Called before the tables are used, with a barrier between. Fills them once: many teams never
  /// use them.
  FPSYNTH_INLINE void make_tables() {
    if (has_tables_) return;
    tables_.fill(lane(), lanes());
    has_tables_ = true;
  }

  /// The team's working memory as counters.
  FPSYNTH_INLINE std::uint32_t* counts() const { return reinterpret_cast<std::uint32_t*>(work_); }

  H hardware_;
  QuadTables tables_;
  std::byte* work_;

 private:
  static constexpr std::uint32_t kPartials = 32;  ///< warps of the largest block

  template <class T>
  FPSYNTH_INLINE T* next_partials() {
    turn_ ^= 1;
    return reinterpret_cast<T*>(partials_ + turn_ * kPartials);
  }

  std::uint64_t* partials_;
  std::uint32_t turn_ = 0;
  bool has_tables_ = false;
};

}  // namespace fpsynth::teams
