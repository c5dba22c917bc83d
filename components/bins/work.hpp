#pragma once
// The memory of BINS for one block, and what one lane decides in it.

#include <cstddef>
#include <cstdint>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

inline constexpr std::uint32_t kMostCodes = 8;

/// Ranges of classes that have a code each, while they are chosen.
struct Ranges {
  std::uint64_t cost[kSymbols];
  std::uint64_t joined[kSymbols];  ///< the cost of a range together with the next one
  std::uint32_t sum[kSymbols];
  std::uint8_t row[kSymbols];  ///< the first class of a range
};

/// In Scratch::tables. Lanes share it.
struct Work {
  /// Of symbols, by the class of their group; the last row counts the classes of groups.
  std::uint32_t counts[kSymbols][kSymbols];
  Code classes;                ///< the code of classes
  Code codes[kMostCodes + 1];  ///< codes of symbols; the last one has the special word alone
  std::uint8_t last_class[kMostCodes];  ///< that has the code
  std::uint8_t code_of[kSymbols];       ///< by class
  Ranges ranges;
  CodeBuilder builder;
  std::uint64_t special;
  std::uint32_t map, top;
  /// The lowest bits that are 0 in all words (of zeros alone, none); not 0: the highest is the
  /// same.
  std::uint32_t zeros, one_sign;
  std::uint32_t code_count, header_bytes, plane_bytes, raw_bits;
  std::uint32_t sums[3];  ///< counters of lanes
  std::uint32_t bad;      ///< not 0: the block is not an encoding
};
static_assert(sizeof(Work) <= kTableBytes);

using Byte = std::uint8_t;
inline constexpr std::size_t kGroup = teams::kGroupWords;

FPSYNTH_INLINE Work& work_of(const Scratch& scratch) {
  return *reinterpret_cast<Work*>(scratch.tables);
}
/// The class of every group.
FPSYNTH_INLINE std::uint8_t* classes_of(const Scratch& scratch) {
  return reinterpret_cast<std::uint8_t*>(scratch.runs);
}
/// Raw bits begin at a multiple of four bytes.
FPSYNTH_INLINE constexpr std::size_t raw_begin(std::size_t planes_end) {
  return (planes_end + 3) / 4 * 4;
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

/// Sets the code of every class from `last_class`.
FPSYNTH_INLINE void set_code_of(Work& work) {
  FPSYNTH_ROLLED
  for (std::uint32_t c = 0, r = 0; c <= kFarthest; ++c) {
    while (r + 1 < work.code_count && c > work.last_class[r]) ++r;
    work.code_of[c] = std::uint8_t(r);
  }
  work.code_of[kSpecialGroup] = kMostCodes;
  Code& special = work.codes[kMostCodes];
  special.alone = 1;
  special.first = special.last = 0;
  special.length[0] = 0;
  work.builder.set_codes(special);
}

/// The bytes of the planes of all codes: of each bit that some of them have, in whole bytes.
FPSYNTH_INLINE std::uint32_t plane_bytes(const Work& work) {
  std::uint32_t bytes = 0;
  FPSYNTH_ROLLED
  for (std::uint32_t bit = 0; bit < kLongestCode; ++bit) {
    const auto having = [&](const Code& code, std::uint32_t row) {
      std::uint32_t count = 0;
      FPSYNTH_ROLLED
      for (std::uint32_t s = 0; s < kSymbols; ++s) {
        count += work.counts[row][s] * std::uint32_t{code.length[s] > bit};
      }
      return count;
    };
    std::uint32_t of_symbols = 0;
    for (std::uint32_t r = 0; r < work.code_count; ++r) {
      of_symbols += having(work.codes[r], work.ranges.row[r]);
    }
    bytes += (having(work.classes, kSpecialGroup) + 7) / 8 + (of_symbols + 7) / 8;
  }
  return bytes;
}

/// Divides the classes into ranges with a code each: neighbours are joined as long as that saves
/// bits, and until there are no more than kMostCodes. Called by one lane. Changes the counts: those
/// of a range are in the row of its first class afterwards.
FPSYNTH_INLINE void choose_codes(Work& work) {
  auto& [cost, joined, sum, row] = work.ranges;
  std::uint32_t ranges = 0;
  FPSYNTH_ROLLED
  for (std::uint32_t c = 0; c <= kFarthest; ++c) {
    if (work.counts[kSpecialGroup][c] == 0) continue;
    cost[ranges] = scaled_cost(work.counts[c]);
    row[ranges++] = std::uint8_t(c);
  }
  const auto join = [&work](std::uint32_t r) {
    Ranges& at = work.ranges;
    FPSYNTH_ROLLED
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      at.sum[s] = work.counts[at.row[r]][s] + work.counts[at.row[r + 1]][s];
    }
    at.joined[r] = scaled_cost(at.sum);
  };
  for (std::uint32_t r = 0; r + 1 < ranges; ++r) join(r);
  while (ranges > 1) {
    std::uint32_t best = 0;
    std::int64_t most = INT64_MIN;
    for (std::uint32_t r = 0; r + 1 < ranges; ++r) {
      const auto saved = std::int64_t(cost[r] + cost[r + 1]) - std::int64_t(joined[r]);
      if (saved > most) best = r, most = saved;
    }
    if (most <= 0 && ranges <= kMostCodes) break;
    FPSYNTH_ROLLED
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      work.counts[row[best]][s] += work.counts[row[best + 1]][s];
    }
    cost[best] = joined[best];
    --ranges;
    for (std::uint32_t r = best + 1; r < ranges; ++r) {
      row[r] = row[r + 1];
      cost[r] = cost[r + 1];
      joined[r] = joined[r + 1];
    }
    if (best > 0) join(best - 1);
    if (best + 1 < ranges) join(best);
  }
  work.code_count = ranges;
  for (std::uint32_t r = 0; r < ranges; ++r) {
    work.last_class[r] = std::uint8_t(r + 1 < ranges ? row[r + 1] - 1u : kFarthest);
    work.builder.build(work.counts[row[r]], work.codes[r]);
  }
  set_code_of(work);
  work.builder.build(work.counts[kSpecialGroup], work.classes);
  work.plane_bytes = plane_bytes(work);
}

}  // namespace fpsynth::components::bins
