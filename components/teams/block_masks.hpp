#pragma once
// Masks of one bit for each word of a block, made and read by the lanes of a thread block.

#include <cstddef>
#include <cstdint>

#include "components/teams/block_lanes.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/item.hpp"
#include "components/teams/strip.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Adds masks to what lanes share. All lanes call all members except half_word().
template <Hardware H>
class BlockMasks : protected BlockLanes<H> {
  using Lanes = BlockLanes<H>;

 protected:
  using Lanes::barrier, Lanes::counts, Lanes::hardware_, Lanes::lane, Lanes::lanes;
  using Lanes::Lanes, Lanes::over_lanes, Lanes::sum;

  /// Bits 32h to 32h + 31 of a mask.
  FPSYNTH_INLINE static std::uint32_t half_word(const std::uint64_t* mask, std::uint32_t h) {
    return Item<std::uint32_t>{h}.load(mask);
  }
  /// The same of a mask of n bits; bits past its end are 0.
  FPSYNTH_INLINE static std::uint32_t half_word(const std::uint64_t* mask, std::uint32_t h,
                                                std::uint32_t n) {
    if (32 * h >= n) return 0;
    const std::uint32_t bits = half_word(mask, h);
    return n - 32 * h >= 32 ? bits : bits & ((1u << (n - 32 * h)) - 1);
  }
  /// Set bits in this lane's part of a mask of n bits.
  FPSYNTH_INLINE std::uint32_t my_bits(const std::uint64_t* mask, std::uint32_t n) const {
    std::uint32_t count = 0;
    for (std::uint32_t h = lane(); 32 * h < n; h += lanes()) {
      count += words::count_bits32(half_word(mask, h, n));
    }
    return count;
  }

  /// Bit i of the mask is f(item i); bits behind the n-th, up to a multiple of 64, are 0.
  template <class W, class F>
  FPSYNTH_INLINE void flags(std::size_t n, std::uint64_t* mask, F f) {
    const std::uint32_t end = std::uint32_t(n);
    barrier();
    if constexpr (sizeof(W) == 1) {
      flag_strips(end, mask, f);
    } else if (is_one_warp(hardware_)) {
      flag_in_turn<W>(end, mask, f);
    } else {
      flag_by_warps<W>(end, mask, f);
    }
    barrier();
  }

  /// Writes the number of set bits before every 32 bits of a mask to counts(), and returns the
  /// number of all set bits.
  FPSYNTH_INLINE std::uint32_t count_before(const std::uint64_t* mask, std::uint32_t n) {
    barrier();
    std::uint32_t* const before = counts();
    std::uint32_t base = 0;
    for (std::uint32_t first = 0; 32 * first < n; first += lanes()) {
      const std::uint32_t h = first + lane();
      const auto found = over_lanes(words::Plus{}, words::count_bits32(half_word(mask, h, n)));
      if (32 * h < n) before[h] = base + found.before;
      base += found.all;
    }
    barrier();
    return base;
  }
  /// A bit of a mask: whether it is set, and how many set bits are before it.
  struct RankedBit {
    std::uint32_t set, rank;
  };
  /// put(item, bit, get(item, bit)) for the n bits of a mask, and their words, each on one of the
  /// lanes. Returns the number of set bits. If that is not `wanted`, neither is called, unless
  /// `wanted` is kAny. Begins and ends with a barrier.
  template <class W, class Get, class Put>
  FPSYNTH_INLINE std::uint32_t each_bit(const std::uint64_t* mask, std::uint32_t n,
                                        std::uint32_t wanted, Get get, Put put) {
    if (is_one_warp(hardware_)) return each_bit_in_turn<W>(mask, n, wanted, get, put);
    const std::uint32_t count = count_before(mask, n);
    if (wanted == kAny || wanted == count) {
      const std::uint32_t* const before = counts();
      each_item<W>(hardware_, 0, n, [&](auto item) {
        const std::uint32_t h = std::uint32_t(item.i) / 32, bit = std::uint32_t(item.i) % 32;
        const std::uint32_t bits = half_word(mask, h);
        const RankedBit ranked{bits >> bit & 1,
                               before[h] + words::count_bits32(bits & ((1u << bit) - 1))};
        put(item, ranked, get(item, ranked));
      });
    }
    barrier();
    return count;
  }
  static constexpr std::uint32_t kAny = ~0u;

 private:
  /// Mask bits of n words, up to whole mask words.
  FPSYNTH_INLINE static std::uint32_t all_bits(std::uint32_t n) { return (n + 63) / 64 * 64; }

  template <class F>
  FPSYNTH_INLINE void flag_strips(std::uint32_t end, std::uint64_t* mask, F f) {
    const std::uint32_t bits = all_bits(end), whole = end / 16 * 16, step = 16 * lanes();
    const auto put = [=](std::uint32_t i, std::uint32_t votes) {
      Item<std::uint16_t>{i / 16}.store(mask, static_cast<std::uint16_t>(votes));
    };
    in_turns(
        16 * lane(), whole, step, [&](std::uint32_t i) { return f(StripItem{i}).bits(); }, put);
    for (std::uint32_t i = whole + 16 * lane(); i < bits; i += step) {
      const std::uint32_t votes = i < end ? f(StripItem{i}).bits() : 0;
      put(i, votes & std::uint32_t(words::low_mask(end - i)));
    }
  }
  /// By one warp: of 32 turns, lane h keeps the bits of turn h, and all store theirs together.
  template <class W, class F>
  FPSYNTH_INLINE void flag_in_turn(std::uint32_t end, std::uint64_t* mask, F f) {
    constexpr std::uint32_t kTurns = 32;
    const std::uint32_t all = all_bits(end) / 32;
    for (std::uint32_t first = 0; first < all; first += kTurns) {
      std::uint32_t mine = 0;
      const auto vote = [&](std::uint32_t turn, bool inside) {
        const Item<W> item{32 * turn + lane()};
        const std::uint32_t votes = hardware_.ballot(inside && f(item));
        if (turn == first + lane()) mine = votes;
      };
      const std::uint32_t stop = first + kTurns < all ? first + kTurns : all;
      const std::uint32_t whole = stop < end / 32 ? stop : end / 32;
      std::uint32_t turn = first;
      for (; turn < whole; ++turn) vote(turn, true);
      for (; turn < stop; ++turn) vote(turn, 32 * turn + lane() < end);
      if (first + lane() < stop) Item<std::uint32_t>{first + lane()}.store(mask, mine);
    }
  }
  template <class W, class F>
  FPSYNTH_INLINE void flag_by_warps(std::uint32_t end, std::uint64_t* mask, F f) {
    const std::uint32_t width = hardware_.warp_lanes(), in_warp = lane() % width;
    for (std::uint32_t first = lane() - in_warp; first < all_bits(end); first += lanes()) {
      const std::uint32_t i = first + in_warp;
      const std::uint32_t votes = hardware_.ballot(i < end && f(Item<W>{i}));
      if (in_warp != 0) continue;
      if (width == 32) {
        Item<std::uint32_t>{first / 32}.store(mask, votes);
      } else {
        const std::uint64_t before = first % 64 ? mask[first / 64] : 0;
        mask[first / 64] = before | std::uint64_t{votes} << (first % 64);
      }
    }
  }

  /// each_bit() by one warp: its lanes take 32 bits after the other, so that the number of set bits
  /// before them need not be stored.
  template <class W, class Get, class Put>
  FPSYNTH_INLINE std::uint32_t each_bit_in_turn(const std::uint64_t* mask, std::uint32_t n,
                                                std::uint32_t wanted, Get get, Put put) {
    barrier();
    if (wanted != kAny) {
      const std::uint32_t count = sum(my_bits(mask, n));
      if (count != wanted) return count;
    }
    constexpr std::uint32_t kTurns = 8;
    std::uint32_t h = 0, rank = 0;
    for (; h + kTurns <= n / 32; h += kTurns) {
      rank = take_turns<W, kTurns>(mask, h, n, rank, get, put);
    }
    for (; 32 * h < n; ++h) rank = take_turns<W, 1>(mask, h, n, rank, get, put);
    barrier();
    return rank;
  }
  /// The turns from number h on, of which only the last one may reach past the n bits. Everything
  /// is read before anything is written: the compiler does not know that these are not the same,
  /// and a warp would wait for memory in every turn. Returns the number of set bits up to them.
  template <class W, std::uint32_t Turns, class Get, class Put>
  FPSYNTH_INLINE std::uint32_t take_turns(const std::uint64_t* mask, std::uint32_t h,
                                          std::uint32_t n, std::uint32_t rank, Get get, Put put) {
    const std::uint32_t below = (1u << lane()) - 1;
    std::uint32_t bits[Turns];
    RankedBit bit[Turns];
    W value[Turns]{};
    FPSYNTH_UNROLL
    for (std::uint32_t k = 0; k < Turns; ++k) {
      bits[k] = Turns > 1 ? half_word(mask, h + k) : half_word(mask, h + k, n);
    }
    const Item<W> first{32 * h + lane()};
    const bool inside = Turns > 1 || first.i < n;
    FPSYNTH_UNROLL
    for (std::uint32_t k = 0; k < Turns; ++k) {
      bit[k] = {bits[k] >> lane() & 1, rank + words::count_bits32(bits[k] & below)};
      if (inside) value[k] = get(Item<W>{first.i + 32 * k}, bit[k]);
      rank += words::count_bits32(bits[k]);
    }
    FPSYNTH_UNROLL
    for (std::uint32_t k = 0; k < Turns; ++k) {
      if (inside) put(Item<W>{first.i + 32 * k}, bit[k], value[k]);
    }
    return rank;
  }
};

}  // namespace fpsynth::teams
