#pragma once
// The memory of BINS for one block, and the choice of its codes.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

using Byte = std::uint8_t;
inline constexpr std::size_t kGroup = teams::kGroupWords;

/// Codes of symbols; behind them, that of groups of special words, which have no other, and that of
/// classes.
inline constexpr std::uint32_t kMostCodes = 8, kOfSpecial = 8, kOfClasses = 9, kCodes = 10;
inline constexpr std::uint32_t kMostStates = 32;

/// Ranges of classes that have a code each, while they are chosen.
struct Ranges {
  std::uint32_t cost[kClasses];
  std::uint32_t joined[kClasses];  ///< the cost of a range together with the next one
  std::uint8_t row[kClasses];      ///< the first class of a range
  std::uint8_t end[kClasses];      ///< of its symbols
  std::uint32_t count, best;       ///< `best` is joined with the next one; none if it is the last
};

/// In Scratch::tables. Lanes share it.
struct Work {
  /// Of symbols, by the class of their group; the last row counts the classes of groups.
  std::uint32_t counts[kClasses][kSymbols];
  Code codes[kCodes];
  std::uint32_t at[kCodes + 1];         ///< where in a block the codes are described
  std::uint8_t last_class[kMostCodes];  ///< that has the code
  std::uint8_t code_of[kClasses];       ///< by class
  Ranges ranges;
  Totals totals[2 * kClasses];
  std::uint32_t states[kMostStates];
  /// The first raw bits, which the states hold, and behind them the first of those in the block.
  alignas(8) Byte carried[2 * kMostStates + 16];
  std::uint64_t special;
  std::uint32_t map, parts;
  /// The highest bin of all, and that of groups of class 1, above which all are of class 0.
  std::uint32_t top, base;
  /// The lowest bits that are 0 in all words (of zeros alone, none); not 0: the highest is the
  /// same.
  std::uint32_t zeros, one_sign;
  std::uint32_t code_count, state_count, raw_bits;
  std::uint32_t sums[8];  ///< counters of lanes
  std::uint32_t bad;      ///< not 0: the block is not an encoding

  /// The bin of groups of a class, but that of special words. Those of lower bins are in the
  /// farthest class.
  FPSYNTH_INLINE std::uint32_t bin_of(std::uint32_t c) const {
    return c == 0 ? top : c - 1 < base ? base - (c - 1) : 0;
  }
};
static_assert(sizeof(Work) <= kTableBytes);

FPSYNTH_INLINE Work& work_of(const Scratch& scratch) {
  return *reinterpret_cast<Work*>(scratch.tables);
}
/// The class of every group.
FPSYNTH_INLINE std::uint8_t* classes_of(const Scratch& scratch) {
  return reinterpret_cast<std::uint8_t*>(scratch.runs);
}
/// Raw bits begin at a multiple of four bytes, and end at one of two.
FPSYNTH_INLINE constexpr std::size_t raw_begin(std::size_t header) { return (header + 3) / 4 * 4; }
FPSYNTH_INLINE constexpr std::size_t raw_bytes(std::size_t bits, std::uint32_t states) {
  return bits <= 16 * states ? 0 : 2 * words::words_for(bits - 16 * states, 16);
}
/// The states of a block whose codes are chosen: none if every symbol has all values of its code. A
/// state costs a byte or two, and many of them are faster than few.
FPSYNTH_INLINE std::uint32_t states_for(const Work& work, std::size_t n) {
  std::uint32_t states = n < 2048 ? 8 : n < 8192 ? 16 : 32, bits = 0;
  bool coded = work.codes[kOfClasses].span > 1;
  for (std::uint32_t r = 0; r < work.code_count; ++r) {
    coded = coded || work.codes[r].span > 1;
    bits += work.ranges.cost[r] >> 8;
  }
  while (states > 8 && bits < 512 * states) states /= 2;
  return coded ? states : 0;
}
/// Number k, of 16 bits, of a block's bytes. Only lanes know that they are aligned.
template <class Team>
FPSYNTH_INLINE std::uint16_t number_at(const Byte* in, std::size_t k) {
  std::uint16_t number;
  std::memcpy(&number, __builtin_assume_aligned(in + 2 * k, Team::kInOrder ? 1 : 2), 2);
  return number;
}
template <class Team>
FPSYNTH_INLINE void put_number(Byte* out, std::size_t k, std::uint32_t number) {
  const std::uint16_t own = std::uint16_t(number);
  std::memcpy(__builtin_assume_aligned(out + 2 * k, Team::kInOrder ? 1 : 2), &own, 2);
}
/// f(i) for the words i of group g of n words. The compiler makes vectors of a number that it
/// knows.
template <class F>
FPSYNTH_INLINE void for_group(std::size_t n, std::size_t g, F f) {
  const std::size_t first = kGroup * g, some = n - first;
  if (some >= kGroup) {
    FPSYNTH_ROLLED
    for (std::size_t k = 0; k < kGroup; ++k) f(first + k);
  } else {
    FPSYNTH_ROLLED
    for (std::size_t k = 0; k < some; ++k) f(first + k);
  }
}
/// f(k) for k < count, each on one of the lanes.
template <teams::Team Team, class F>
FPSYNTH_INLINE void each(Team& team, std::size_t count, F f) {
  if constexpr (Team::kInOrder) {
    for (std::size_t k = 0; k < count; ++k) f(k);
  } else {
    team.template for_each<std::uint32_t>(0, count, [=](auto i) { f(std::size_t(i.index())); });
  }
}

/// True if a lane has found that the block is no encoding. Begins and ends with a barrier, so that
/// all lanes get the same answer.
template <teams::Team Team>
FPSYNTH_INLINE bool is_bad(Team& team, const Work& work) {
  team.barrier();
  const bool bad = work.bad != 0;
  team.barrier();
  return bad;
}

/// Sets the code of every class from `last_class`. One lane calls it.
FPSYNTH_INLINE void set_code_of(Work& work) {
  FPSYNTH_ROLLED
  for (std::uint32_t c = 0, r = 0; c <= kFarthest; ++c) {
    while (r + 1 < work.code_count && c > work.last_class[r]) ++r;
    work.code_of[c] = std::uint8_t(r);
  }
  work.code_of[kSpecialGroup] = std::uint8_t(kOfSpecial);
  work.codes[kOfSpecial].alone(0);
}

/// Sets the first totals, of rows of which row r has count(r, s) times symbol s. Lanes call it;
/// ends with a barrier.
template <teams::Team Team, class Count>
FPSYNTH_INLINE void find_totals(Team& team, Work& work, std::uint32_t rows, Count count) {
  constexpr std::uint32_t kPieces = 16;
  each(team, rows, [&work](std::size_t r) { work.totals[r] = {}; });
  team.barrier();
  each(team, rows * kPieces, [=, &team, &work](std::size_t k) {
    const std::uint32_t r = std::uint32_t(k / kPieces);
    Totals& totals = work.totals[r];
    std::uint32_t own = 0, all = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t s = k % kPieces; s < kSymbols; s += kPieces) {
      const std::uint32_t number = count(r, s);
      if (number == 0) continue;
      own += number * scaled_log2(number);
      all += number;
      team.add(&totals.used[s / 32], 1u << s % 32);
    }
    if (all == 0) return;
    team.add(&totals.own, own);
    team.add(&totals.all, all);
  });
  team.barrier();
}

/// Divides the classes into ranges with a code each: neighbours are joined as long as that saves
/// bits, and until there are no more than kMostCodes. Changes the counts: those of a range are in
/// the row of its first class afterwards. Ends with a barrier.
template <teams::Team Team>
FPSYNTH_INLINE void choose_codes(Team& team, Work& work) {
  team.single([&work] {
    Ranges& ranges = work.ranges;
    ranges.count = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t c = 0; c <= kFarthest; ++c) {
      if (work.counts[kSpecialGroup][c] > 0) ranges.row[ranges.count++] = std::uint8_t(c);
    }
    ranges.best = ~0u;
  });
  team.barrier();
  // Of `count` ranges from `first` on: joined with the next one, and, at first, alone.
  const auto find_costs = [&](std::uint32_t first, std::uint32_t count, bool alone) {
    Ranges& ranges = work.ranges;
    if constexpr (Team::kInOrder) {
      for (std::uint32_t r = first; r < first + count; ++r) {
        const std::uint32_t* const own = work.counts[ranges.row[r]];
        if (alone) ranges.cost[r] = scaled_cost(own, ranges.end[r], nullptr);
        if (r + 1 == ranges.count) continue;
        ranges.joined[r] = scaled_cost(own, words::larger(ranges.end[r], ranges.end[r + 1]),
                                       work.counts[ranges.row[r + 1]]);
      }
    } else {
      const std::uint32_t rows = alone ? 2 * count : count;
      find_totals(team, work, rows, [=, &work, &ranges](std::uint32_t k, std::uint32_t s) {
        const std::uint32_t r = first + k % count;
        const bool joined = k < count && r + 1 < ranges.count;
        return work.counts[ranges.row[r]][s] + (joined ? work.counts[ranges.row[r + 1]][s] : 0);
      });
      each(team, rows, [=, &work, &ranges](std::size_t k) {
        std::uint32_t* const to = k < count ? ranges.joined : ranges.cost;
        to[first + k % count] = work.totals[k].cost();
      });
    }
  };
  if constexpr (Team::kInOrder) {
    for (std::uint32_t r = 0; r < work.ranges.count; ++r) {
      work.ranges.end[r] = std::uint8_t(end_of(work.counts[work.ranges.row[r]]));
    }
  }
  find_costs(0, work.ranges.count, true);
  team.barrier();
  while (work.ranges.count > 1) {
    team.single([&work] {
      Ranges& ranges = work.ranges;
      std::int32_t most = INT32_MIN;
      for (std::uint32_t r = 0; r + 1 < ranges.count; ++r) {
        const auto saved = std::int32_t(ranges.cost[r] + ranges.cost[r + 1] - ranges.joined[r]);
        if (saved > most) ranges.best = r, most = saved;
      }
      if (most <= 0 && ranges.count <= kMostCodes) ranges.best = ~0u;
    });
    team.barrier();
    const std::uint32_t best = work.ranges.best;
    if (best == ~0u) break;
    each(team, kSymbols, [=, &work](std::size_t s) {
      const Ranges& ranges = work.ranges;
      work.counts[ranges.row[best]][s] += work.counts[ranges.row[best + 1]][s];
    });
    team.barrier();
    team.single([=, &work] {
      Ranges& ranges = work.ranges;
      ranges.cost[best] = ranges.joined[best];
      ranges.end[best] = words::larger(ranges.end[best], ranges.end[best + 1]);
      --ranges.count;
      for (std::uint32_t r = best + 1; r < ranges.count; ++r) {
        ranges.row[r] = ranges.row[r + 1];
        ranges.end[r] = ranges.end[r + 1];
        ranges.cost[r] = ranges.cost[r + 1];
        ranges.joined[r] = ranges.joined[r + 1];
      }
    });
    team.barrier();
    const std::uint32_t first = best > 0 ? best - 1 : 0;
    find_costs(first, best + 1 - first, false);
    team.barrier();
  }
  team.single([&work] {
    const Ranges& ranges = work.ranges;
    work.code_count = ranges.count;
    for (std::uint32_t r = 0; r < ranges.count; ++r) {
      work.last_class[r] = std::uint8_t(r + 1 < ranges.count ? ranges.row[r + 1] - 1u : kFarthest);
    }
    set_code_of(work);
  });
  each(team, work.ranges.count + 1, [=, &work](std::size_t r) {
    const bool classes = r == work.ranges.count;
    work.codes[classes ? kOfClasses : r].build(
        work.counts[classes ? kSpecialGroup : work.ranges.row[r]]);
  });
  team.barrier();
}

}  // namespace fpsynth::components::bins
