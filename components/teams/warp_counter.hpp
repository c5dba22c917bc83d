#pragma once
// Counts a block as words and as bytes in one pass, on one warp.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/block_counts.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/strip.hpp"

namespace fpsynth::teams {

/// The lanes of a warp take adjacent bytes in turn: nine or seven vectors of 16 bytes each, which
/// together are a chunk of doubles, or, at the block's end, one. As all are odd, eight lanes load
/// from different banks. A lane makes a mask of the literals among its words. Where that changes, a
/// run starts; a token covers up to 128 words of a run, so a run from `a` to the next one's start
/// at `b` has 1 + (b - a - 1) / 128. `Nonzero`: whether words that are not zero are counted.
template <Hardware H, bool Nonzero = true>
class WarpCounter {
 public:
  FPSYNTH_INLINE explicit WarpCounter(H hardware)
      : hardware_(hardware),
        width_(hardware.warp_lanes()),
        in_warp_(hardware.lane() % width_),
        below_((1u << in_warp_) - 1) {}

  /// `in`: a block of n words, n > 0, of less than 4 GiB, aligned to 16 and with slack. Called by
  /// all lanes of one warp, which get the same counts.
  template <class W>
  FPSYNTH_INLINE BlockCounts count(const W* in, std::size_t n) {
    using Byte = std::uint8_t;
    const auto* const block = reinterpret_cast<const std::byte*>(in);
    const std::uint32_t bytes = std::uint32_t(n * sizeof(W));
    Sums<W> words;
    Sums<Byte> singles;
    // Before the block there are words, and bytes, other than its first one.
    Last last;
    last.low = last.high = Quad(Byte(~*reinterpret_cast<const Byte*>(in))).bytes;
    std::uint32_t turn = 0;
    const auto turns = [&]<int Vectors>() {
      const std::uint32_t each = Vectors * kVector * width_;
      for (; bytes - turn >= each; turn += each)
        add<Vectors>(block, turn, bytes, last, words, singles);
    };
    turns.template operator()<9>();
    turns.template operator()<7>();
    turns.template operator()<1>();
    if (turn < bytes) add<1>(block, turn, bytes, last, words, singles);
    BlockCounts counts;
    counts.bytes = totals(singles, bytes);
    counts.words = counts.bytes;
    if constexpr (sizeof(W) > 1) counts.words = totals(words, std::uint32_t(n));
    return counts;
  }

 private:
  static constexpr std::uint32_t kVector = 16;         ///< bytes that a lane loads at once
  static constexpr std::uint32_t kMostTogether = 128;  ///< most words of a token

  /// The eight bytes before a lane's first one.
  struct Last {
    std::uint32_t low = 0, high = 0;
  };
  /// The counts of words of type W.
  template <class W>
  struct Sums {
    std::uint32_t nonzero = 0, literals = 0, starts = 0;  ///< of this lane
    std::uint32_t within = 0;           ///< tokens besides the first of a run, of this lane
    std::uint32_t last = ~0u;           ///< the last start of all turns; -1: none
    std::uint32_t literals_before = 0;  ///< the top bit: that of the last lane's last word
  };
  /// A bit for each of a lane's words of type W in `Vectors` vectors.
  template <class W, int Vectors>
  struct Bits {
    static constexpr int kBits = Vectors * int(kVector / sizeof(W));
    static constexpr int kParts = (kBits + 31) / 32;
    std::uint32_t part[kParts] = {};

    /// The lowest and the highest set bit, if there is one.
    FPSYNTH_INLINE std::uint32_t lowest() const {
      std::uint32_t bit = 0;
      for (int k = kParts; k-- > 0;) {
        if (part[k] != 0) bit = 32 * std::uint32_t(k) + words::lowest_bit32(part[k]);
      }
      return bit;
    }
    FPSYNTH_INLINE std::uint32_t highest() const {
      std::uint32_t bits = part[0], below = 0;
      for (int k = 1; k < kParts; ++k) {
        below = part[k] != 0 ? 32 * std::uint32_t(k) : below;
        bits = part[k] != 0 ? part[k] : bits;
      }
      return below + words::highest_bit32(bits);
    }
    /// highest() if a bit of the last 64 is set.
    FPSYNTH_INLINE std::uint32_t highest_at_end() const {
      if constexpr (kParts == 1) {
        return words::highest_bit32(part[0]);
      } else {
        const bool last = part[kParts - 1] != 0;
        return words::highest_bit32(last ? part[kParts - 1] : part[kParts - 2]) +
               32 * std::uint32_t(last ? kParts - 1 : kParts - 2);
      }
    }
    FPSYNTH_INLINE bool any() const {
      std::uint32_t all = 0;
      for (int k = 0; k < kParts; ++k) all |= part[k];
      return all != 0;
    }
    /// True if every 64 bits have one that is set: counted from the first bit, and for the rest
    /// from the last one.
    FPSYNTH_INLINE bool any_in_64() const {
      bool each = (part[kParts - 1] | (kParts > 1 ? part[kParts - 2] : 0)) != 0;
      for (int k = 0; k + 2 < kParts; k += 2) each = each && (part[k] | part[k + 1]) != 0;
      return each;
    }
    /// True if two starts of the 144 words, next to each other, are more than 128 words apart.
    FPSYNTH_INLINE bool has_long_run() const {
      static_assert(kBits == 144);
      const std::uint32_t first = part[0] & 0x7fff, last = part[4] & ~1u;
      const bool others = ((part[0] ^ first) | part[1] | part[2] | part[3] | (part[4] ^ last)) != 0;
      return !others && first != 0 && last != 0 &&
             words::lowest_bit32(last) > words::highest_bit32(first);
    }
    FPSYNTH_INLINE std::uint32_t count() const {
      std::uint32_t all = 0;
      for (int k = 0; k < kParts; ++k) all += words::count_bits32(part[k]);
      return all;
    }
  };

  /// The value of the lane below. Lane 0 gets `before`, which becomes the value of the last lane.
  FPSYNTH_INLINE std::uint32_t from_below(std::uint32_t value, std::uint32_t& before) {
    const std::uint32_t below = hardware_.shuffle(value, (in_warp_ + width_ - 1) % width_);
    const std::uint32_t result = in_warp_ == 0 ? before : below;
    before = below;
    return result;
  }

  /// A turn of `Vectors` vectors for each lane, from byte `turn` of the block on. If it is more
  /// than one, all belong to the block.
  template <int Vectors, class W>
  FPSYNTH_INLINE void add(const std::byte* block, std::uint32_t turn, std::uint32_t bytes,
                          Last& last, Sums<W>& words, Sums<std::uint8_t>& singles) {
    constexpr std::uint32_t kEach = kVector * Vectors;
    const std::uint32_t here = turn + kEach * in_warp_;
    const std::uint32_t behind = here < bytes ? bytes - here : 0;
    const std::uint32_t left = Vectors > 1 || behind > kEach ? kEach : behind;
    const std::byte* const mine = block + here;
    Strip part[Vectors];
    for (int k = 0; k < Vectors; ++k) {
      part[k] = left > 0 ? StripItem{kVector * std::uint32_t(k)}.load(mine) : Strip(0);
    }
    if (left < kEach) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        part[0].part[k].bytes &=
            left > 4 * k ? std::uint32_t(words::low_mask(8 * (left - 4 * k))) : 0;
      }
    }
    Last before;
    before.high = from_below(part[Vectors - 1].part[3].bytes, last.high);
    if constexpr (sizeof(W) == 8)
      before.low = from_below(part[Vectors - 1].part[2].bytes, last.low);
    if constexpr (sizeof(W) > 1) {
      Bits<W, Vectors> literals;
      words.nonzero += words_of<W>(part, before, literals);
      add_literals(literals, turn, left, words);
    }
    Bits<std::uint8_t, Vectors> literals;
    singles.nonzero = bytes_of(part, before.high, literals, singles.nonzero);
    add_literals(literals, turn, left, singles);
  }
  /// Adds 128 for every byte that is not zero. Sets the bits of literals.
  template <int Vectors>
  FPSYNTH_INLINE static std::uint32_t bytes_of(const Strip (&part)[Vectors], std::uint32_t before,
                                               Bits<std::uint8_t, Vectors>& literals,
                                               std::uint32_t sum) {
    std::uint32_t shifted[4] = {};
    for (int k = 0; k < 2 * Vectors; ++k) {
      // The flags, which are 0x80, weighted with the bits' values.
      std::uint32_t eight = 0;
      for (int j = 0; j < 2; ++j) {
        const Quad four = part[k / 2].part[k % 2 * 2 + j];
        if (Nonzero) sum = words::dot_bytes((four != Quad{0u}).flags, 0x01010101, sum);
        const Quad prior{words::funnel_right(before, four.bytes, 24)};
        eight = words::dot_bytes((four != prior).flags, j == 0 ? 0x08040201 : 0x80402010, eight);
        before = four.bytes;
      }
      shifted[k % 4] = k % 4 == 0 ? eight >> 7 : eight << (8 * (k % 4) - 7);
      if (k % 4 == 3) {
        literals.part[k / 4] = words::any_of(shifted[0], shifted[1], shifted[2]) | shifted[3];
      } else if (k + 1 == 2 * Vectors) {
        literals.part[k / 4] = shifted[0] | shifted[1];
      }
    }
    return sum;
  }
  /// The number of words that are not zero. Sets the bits of literals.
  template <class W, int Vectors>
  FPSYNTH_INLINE static std::uint32_t words_of(const Strip (&part)[Vectors], Last before,
                                               Bits<W, Vectors>& literals) {
    std::uint32_t nonzero = 0;
    if constexpr (sizeof(W) == 2) {
      for (int i = 0; i < 4 * Vectors; ++i) {
        const std::uint32_t two = part[i / 4].part[i % 4].bytes;
        const std::uint32_t differ = two ^ words::funnel_right(before.high, two, 16);
        before.high = two;
        if (Nonzero) nonzero += (two % 65536 != 0) + (two / 65536 != 0);
        literals.part[i / 16] |=
            (std::uint32_t(differ % 65536 != 0) | std::uint32_t(differ / 65536 != 0) << 1)
            << 2 * i % 32;
      }
    } else {
      constexpr int kQuads = sizeof(W) / 4;
      for (int i = 0; i < Bits<W, Vectors>::kBits; ++i) {
        std::uint32_t any = 0, difference = 0;
        for (int k = 0; k < kQuads; ++k) {
          const std::uint32_t quad = part[i * kQuads / 4].part[i * kQuads % 4 + k].bytes;
          std::uint32_t& previous = k + 1 == kQuads ? before.high : before.low;
          any |= quad;
          difference = words::different_or(quad, previous, difference);
          previous = quad;
        }
        if (Nonzero) nonzero += any < 1 ? any : 1;
        literals.part[i / 32] |= std::uint32_t(difference != 0) << i % 32;
      }
    }
    return nonzero;
  }
  /// Adds the literals of a turn, which starts at byte `turn`, and the runs that start.
  template <class W, int Vectors>
  FPSYNTH_INLINE void add_literals(Bits<W, Vectors>& literals, std::uint32_t turn,
                                   std::uint32_t left, Sums<W>& sums) {
    using Mask = Bits<W, Vectors>;
    constexpr int kLast = Mask::kParts - 1, kFree = 32 * Mask::kParts - Mask::kBits;
    constexpr std::uint32_t kWords = Mask::kBits;
    const std::uint32_t first = turn / std::uint32_t(sizeof(W)), here = first + kWords * in_warp_;
    // The bit before a lane's first one is the last bit of the lane below.
    std::uint32_t before = from_below(literals.part[kLast] << kFree, sums.literals_before);
    Mask starts;
    for (int k = 0; k <= kLast; ++k) {
      std::uint32_t mask = k == kLast ? ~0u >> kFree : ~0u;
      if constexpr (Vectors == 1) {
        mask = std::uint32_t(words::low_mask(left / sizeof(W)));
        literals.part[k] &= mask;
      }
      const std::uint32_t bits = literals.part[k];
      starts.part[k] = words::different_of(bits, words::funnel_left(bits, before, 1), mask);
      before = bits;
    }
    sums.literals += literals.count();
    sums.starts += starts.count();

    // Mostly, fewer than 128 words are between two starts. It is so if runs start in every 64 words
    // of a lane, but for a few lanes with one vector.
    const std::uint32_t without = ~hardware_.ballot(starts.any_in_64());
    const std::uint32_t two = without & without >> 1;
    const bool all_short = (Vectors > 1 ? without : two & two >> 2) == 0;
    if (all_short && first - 1 - sums.last < 64) {
      const std::uint32_t top = Vectors > 1 ? width_ - 1 : words::highest_bit32(~without) % width_;
      sums.last = hardware_.shuffle(here + starts.highest_at_end(), top);
      return;
    }
    const std::uint32_t mine = here + starts.highest();
    const bool any = starts.any();
    const std::uint32_t with = hardware_.ballot(any), below = with & below_;
    const std::uint32_t latest = hardware_.shuffle(mine, words::highest_bit32(below) % width_);
    const std::uint32_t begin = below ? latest : sums.last;
    // A lane's first start may end a long run, which began with the last start of a lane below or
    // of the turns before.
    const std::uint32_t tokens = (here - 1 - begin + starts.lowest()) / kMostTogether;
    sums.within += any ? tokens : 0;
    if constexpr (Mask::kBits > kMostTogether) sums.within += starts.has_long_run();
    const std::uint32_t last = hardware_.shuffle(mine, words::highest_bit32(with) % width_);
    sums.last = with ? last : sums.last;
  }
  template <class W>
  FPSYNTH_INLINE WordCounts totals(const Sums<W>& sums, std::uint32_t n) {
    const std::uint32_t nonzero = sizeof(W) == 1 ? sums.nonzero / 0x80 : sums.nonzero;
    const std::uint32_t tokens = hardware_.reduce(words::Plus{}, sums.starts + sums.within);
    return {Nonzero ? hardware_.reduce(words::Plus{}, nonzero) : 0,
            hardware_.reduce(words::Plus{}, sums.literals),
            tokens + (n - 1 - sums.last) / kMostTogether};
  }

  H hardware_;
  std::uint32_t width_, in_warp_, below_;
};

}  // namespace fpsynth::teams
