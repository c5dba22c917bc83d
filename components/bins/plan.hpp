#pragma once
// The decisions of BINS on a block before it writes anything: the map, the symbols, the codes.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/bins/header.hpp"
#include "components/bins/work.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// One group in so many is looked at to choose a map.
inline constexpr std::size_t kEvery = 8;

/// The highest bin of a group, plus 1. 0: only special words.
template <class W>
FPSYNTH_INLINE std::uint32_t top_of_group(const W* in, std::size_t n, Binning<W> binning,
                                          std::size_t g) {
  if (!binning.is_float()) {
    W all = 0;
    for_group(n, g, [&](std::size_t i) { all |= binning.mapped(in[i]); });
    return all != 0 ? binning.bin(all) + 1 : 0;
  }
  W most = 0;
  for_group(n, g, [&](std::size_t i) {
    // A mask, of which compilers make vectors; of a condition they make branches.
    const W word = binning.mapped(in[i]), counts = W(W{0} - W(word != binning.special));
    most = words::larger(most, W(word & counts));
  });
  if (most == 0) {
    W different = 0;
    for_group(n, g,
              [&](std::size_t i) { different |= W(binning.mapped(in[i]) ^ binning.special); });
    if (different == 0) return 0;
  }
  return binning.bin(most) + 1;
}

/// The symbols of group g of n words, of bin `top`, in instructions that compilers make vectors of.
template <class W>
FPSYNTH_INLINE void group_symbols(const W* in, std::size_t n, std::size_t g, Binning<W> binning,
                                  std::uint32_t top, Byte (&symbols)[kGroup]) {
  const W* const from = in + kGroup * g;
  for_group(teams::words_of_group(n, g), 0, [&](std::size_t k) {
    const W word = binning.mapped(from[k]);
    symbols[k] = Byte(binning.symbol(word, top, binning.double_bin_by_float(word)));
  });
}

/// Rows of counters of symbols, each in several copies that take turns, because a counter that has
/// just been written can be read only some cycles later.
template <std::size_t Rows>
struct SpreadCounts {
  std::uint32_t copies[Rows][4][kSymbols] = {};

  FPSYNTH_INLINE void add(std::size_t row, const Byte* symbols, std::size_t count) {
    auto& own = copies[row];
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      ++own[0][symbols[k]];
      ++own[1][symbols[k + 1]];
      ++own[2][symbols[k + 2]];
      ++own[3][symbols[k + 3]];
    }
    for (; k < count; ++k) ++own[0][symbols[k]];
  }
  FPSYNTH_INLINE void sum(std::size_t row, std::uint32_t* to) const {
    const auto& own = copies[row];
    for (std::uint32_t s = 0; s < kSymbols; ++s) {
      to[s] = own[0][s] + own[1][s] + own[2][s] + own[3][s];
    }
  }
};

/// The symbols of every eighth group in row `row` of the counts, and the sum of their raw bits.
template <class W, teams::Team Team>
FPSYNTH_INLINE void sample(Team& team, const W* in, std::size_t n, Binning<W> binning, Work& work,
                           std::size_t row) {
  std::uint32_t* const counts = work.counts[row];
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) FPSYNTH_INLINED {
    const Binning<W> own{map, binning.zeros, binning.special};
    if constexpr (Team::kInOrder) {
      SpreadCounts<1> spread;
      for (std::size_t g = 0; g < teams::group_count(n); g += kEvery) {
        const std::uint32_t next = top_of_group(in, n, own, g), top = next - (next > 0);
        const std::size_t some = teams::words_of_group(n, g);
        Byte symbols[kGroup];
        group_symbols(in, n, g, own, top, symbols);
        spread.add(0, symbols, some);
        std::uint32_t raw = 0;
        for_group(some, 0, [&](std::size_t k) { raw += own.raw_bits(symbols[k], top); });
        work.sums[row] += raw;
      }
      spread.sum(0, counts);
    } else {
      const std::size_t groups = words::words_for(teams::group_count(n), kEvery);
      each(team, groups, [=, &team, &work](std::size_t k) {
        const std::uint32_t top = top_of_group(in, n, own, kEvery * k);
        std::uint32_t raw = 0;
        for_group(n, kEvery * k, [&](std::size_t i) {
          const std::uint32_t symbol = top > 0 ? own.symbol(own.mapped(in[i]), top - 1) : 0;
          team.add(counts + symbol, 1);
          raw += own.raw_bits(symbol, top - 1);
        });
        team.add(&work.sums[row], raw);
      });
    }
  });
}

/// Sets zeros and one_sign. Ends with a barrier.
template <class W, teams::Team Team>
FPSYNTH_INLINE void find_common_bits(Team& team, const W* in, std::size_t n,
                                     const Scratch& scratch) {
  Work& work = work_of(scratch);
  W* const any_of = reinterpret_cast<W*>(scratch.bytes);
  const std::size_t groups = teams::group_count(n);
  W* const all_of = any_of + groups;
  each(team, groups, [=](std::size_t g) {
    W any = 0, all = W(~W{0});
    for_group(n, g, [&](std::size_t i) {
      any |= in[i];
      all &= in[i];
    });
    any_of[g] = any;
    all_of[g] = all;
  });
  team.barrier();
  team.single([=, &work] {
    W any = 0, all = W(~W{0});
    for (std::size_t g = 0; g < groups; ++g) {
      any |= any_of[g];
      all &= all_of[g];
    }
    constexpr std::uint32_t kSign = words::kBits<W> - 1;
    const auto low = std::uint32_t(any), high = std::uint32_t(std::uint64_t{any} >> 32);
    work.zeros = low != 0    ? words::lowest_bit32(low)
                 : high != 0 ? 32 + words::lowest_bit32(high)
                             : 0;
    work.one_sign = any >> kSign == 0 || all >> kSign != 0;
  });
  team.barrier();
}

/// The mapped float of the greatest magnitude, if it is one of 64 or more: a value that stands
/// for none, as a rule. Otherwise 0.
template <class W, teams::Team Team>
FPSYNTH_INLINE W frequent_extreme(Team& team, const W* in, std::size_t n, Binning<W> binning,
                                  const Scratch& scratch) {
  Work& work = work_of(scratch);
  W* const greatest = reinterpret_cast<W*>(scratch.bytes);
  const std::size_t groups = teams::group_count(n);
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
    const Binning<W> own{map, binning.zeros, 0};
    each(team, groups, [=](std::size_t g) {
      W most = 0;
      for_group(n, g, [&](std::size_t i) { most = words::larger(most, own.mapped(in[i])); });
      greatest[g] = most;
    });
  });
  team.barrier();
  team.single([=, &work] {
    W most = 0;
    for (std::size_t g = 0; g < groups; ++g) most = words::larger(most, greatest[g]);
    work.special = most;
  });
  team.barrier();
  const W most = W(work.special);
  each(team, groups, [=, &team, &work](std::size_t g) {
    if (greatest[g] != most) return;
    std::uint32_t count = 0;
    for_group(n, g, [&](std::size_t i) { count += binning.mapped(in[i]) == most; });
    team.add(&work.sums[2], count);
  });
  team.barrier();
  return std::size_t{work.sums[2]} * 64 >= n ? most : W{0};
}

/// By the words of every eighth group: the integers of fewer bits; and where these are not far
/// fewer than a float has below its exponent, floats, if one code for all makes them shorter.
/// Zeros and signs are those of all words. Leaves all counts 0.
template <class W, teams::Team Team>
FPSYNTH_INLINE Binning<W> choose_binning(Team& team, const W* in, std::size_t n,
                                         const Scratch& scratch) {
  Work& work = work_of(scratch);
  std::uint32_t* const sums = work.sums;
  const std::size_t groups = words::words_for(teams::group_count(n), kEvery);
  find_common_bits(team, in, n, scratch);
  each(team, groups, [=, &team](std::size_t k) {
    std::uint32_t as_is = 0, magnitude = 0;
    for_group(n, kEvery * k, [&](std::size_t i) {
      as_is += Binning<W>::bits_of(in[i]);
      magnitude += Binning<W>::bits_of(Binning<W>::magnitude(in[i]));
    });
    team.add(sums, as_is);
    team.add(sums + 1, magnitude);
  });
  team.barrier();
  const std::uint32_t as_is = sums[0], magnitude = sums[1];
  const Binning<W> integers{as_is < magnitude ? Map::Unsigned : Map::Magnitude, work.zeros, 0};
  if (!Binning<W>::kHasFloats || work.zeros > Binning<W>::kMostZeros) return integers;
  const std::size_t seen = kGroup * (groups - 1) + teams::words_of_group(n, kEvery * (groups - 1));
  const std::size_t least = as_is < magnitude ? as_is : magnitude;
  if (least * 4 < seen * Binning<W>::kBelow * 3) return integers;
  Binning<W> floats{work.one_sign ? Map::Positive : Map::Float, work.zeros, 0};
  floats.special = frequent_extreme(team, in, n, floats, scratch);
  team.barrier();
  team.single([=] { sums[0] = sums[1] = 0; });
  team.barrier();
  sample(team, in, n, integers, work, 0);
  sample(team, in, n, floats, work, 1);
  team.barrier();
  const std::uint64_t cost[] = {scaled_cost(work.counts[0]) + 256 * std::uint64_t{sums[0]},
                                scaled_cost(work.counts[1]) + 256 * std::uint64_t{sums[1]}};
  team.barrier();
  team.template for_each<std::uint32_t>(
      0, 2 * kSymbols, [counts = work.counts[0]](auto i) { i.store(counts, std::uint32_t{0}); });
  team.barrier();
  return cost[1] < cost[0] ? floats : integers;
}

/// Sets top_of_group() of all groups, and returns the highest bin of the block.
template <class W, teams::Team Team>
FPSYNTH_INLINE std::uint32_t find_tops(Team& team, const W* in, std::size_t n, Binning<W> binning,
                                       const Scratch& scratch) {
  Work& work = work_of(scratch);
  auto* const tops = reinterpret_cast<std::uint16_t*>(scratch.starts);
  const std::size_t groups = teams::group_count(n);
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
    const Binning<W> own{map, binning.zeros, binning.special};
    each(team, groups,
         [=](std::size_t g) { tops[g] = std::uint16_t(top_of_group(in, n, own, g)); });
  });
  team.barrier();
  team.single([=, &work] {
    std::uint32_t top = 0;
    for (std::size_t g = 0; g < groups; ++g) top = words::larger<std::uint32_t>(top, tops[g]);
    work.top = top > 0 ? top - 1 : 0;
  });
  team.barrier();
  return work.top;
}

template <class W, bool Keep, teams::Team Team>
FPSYNTH_INLINE void count_symbols(Team& team, const W* in, std::size_t n, Binning<W> binning,
                                  std::uint32_t top, const Scratch& scratch) {
  Work& work = work_of(scratch);
  const auto* const tops = reinterpret_cast<const std::uint16_t*>(scratch.starts);
  Byte *const classes = classes_of(scratch), *const symbols = scratch.bytes;
  const auto class_of = [=, &team, &work](std::size_t g) {
    std::uint32_t c = kSpecialGroup;
    if (tops[g] > 0) {
      c = top + 1 - tops[g];
      if (c > kFarthest) c = kFarthest;
    }
    team.add(&work.counts[kSpecialGroup][c], 1);
    if (Keep) classes[g] = Byte(c);
    return c;
  };
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
    const Binning<W> own{map, binning.zeros, binning.special};
    if constexpr (Team::kInOrder) {
      SpreadCounts<kSymbols> counts;
      for (std::size_t g = 0; g < teams::group_count(n); ++g) {
        const std::uint32_t c = class_of(g);
        Byte own_symbols[kGroup] = {};
        group_symbols(in, n, g, own, top - c, own_symbols);
        const std::size_t some = teams::words_of_group(n, g);
        counts.add(c, own_symbols, some);
        if (Keep) std::memcpy(symbols + kGroup * g, own_symbols, kGroup);
      }
      for (std::uint32_t c = 0; c <= kFarthest; ++c) {
        if (work.counts[kSpecialGroup][c] > 0) counts.sum(c, work.counts[c]);
      }
    } else {
      each(team, teams::group_count(n), [=, &team, &work](std::size_t g) {
        const std::uint32_t c = class_of(g);
        std::uint32_t* const counts = work.counts[c];
        for_group(n, g, [&](std::size_t i) {
          const std::uint32_t symbol = own.symbol(own.mapped(in[i]), top - c);
          // In a group of special words, none counts.
          if (c != kSpecialGroup) team.add(counts + symbol, 1);
          if (Keep) symbols[i] = Byte(symbol);
        });
      });
    }
  });
}

template <class W>
struct Plan {
  Binning<W> binning;
  std::size_t words;
};

/// Counts, and decides everything. With `Keep`, the symbols are in scratch.bytes afterwards, and
/// the classes in classes_of(). Ends with a barrier.
template <class W, bool Keep, teams::Team Team>
FPSYNTH_INLINE Plan<W> plan(Team& team, const W* in, std::size_t n, const Scratch& scratch) {
  Work& work = work_of(scratch);
  team.barrier();
  team.template for_each<std::uint32_t>(
      0, sizeof work.counts / 4,
      [counts = &work.counts[0][0]](auto i) { i.store(counts, std::uint32_t{0}); });
  team.single([&work] { work.sums[0] = work.sums[1] = work.sums[2] = 0; });
  team.barrier();
  Plan<W> planned{choose_binning(team, in, n, scratch), 0};
  const Binning<W> binning = planned.binning;
  const std::uint32_t top = find_tops(team, in, n, binning, scratch);
  count_symbols<W, Keep>(team, in, n, binning, top, scratch);
  team.barrier();
  team.single([=, &work]() FPSYNTH_INLINED {
    work.map = std::uint32_t(binning.map);
    work.special = binning.special;
    work.top = top;
    work.raw_bits = 0;
    FPSYNTH_ROLLED
    for (std::uint32_t c = 0; c <= kFarthest && c <= top; ++c) {
      if (work.counts[kSpecialGroup][c] == 0) continue;
      FPSYNTH_ROLLED
      for (std::uint32_t s = 1; s < kSymbols; ++s) {
        const std::uint32_t count = work.counts[c][s];
        if (count > 0) work.raw_bits += count * binning.raw_bits(s, top - c);
      }
    }
    choose_codes(work);
    work.header_bytes = std::uint32_t(described_bytes<W>(work));
  });
  team.barrier();
  const std::size_t bytes =
      raw_begin(work.header_bytes + work.plane_bytes) + words::words_for(work.raw_bits, 8);
  planned.words = words::words_for(bytes, sizeof(W));
  if (planned.words > n) {
    planned.words = n + 1;
    planned.binning.map = Map::Stored;
  }
  return planned;
}

}  // namespace fpsynth::components::bins
