#pragma once
// The choice of a block's binning: the map and the parts, by samples.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/bins/group.hpp"
#include "components/bins/work.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// One group in so many is looked at to choose a map.
inline constexpr std::size_t kEvery = 8;

/// The highest bin of a group, plus 1. 0: only special words.
template <class W, teams::Team Team>
FPSYNTH_INLINE std::uint32_t top_of_group(Team& team, const W* in, std::size_t n,
                                          Binning<W> binning, std::size_t g) {
  W most = 0, different = 0;
  const auto see = [&](W word) {
    // A mask, of which compilers make vectors; of a condition they make branches.
    const W counts = W(W{0} - W(word != binning.special));
    most = words::larger(most, W(word & counts));
  };
  if constexpr (Team::kInOrder) {
    OfGroup<W> mapped;
    map_group(team, in, n, g, binning, mapped);
    for (std::size_t k = 0; k < kGroup; ++k) see(mapped.of[k]);
  } else {
    for_group(n, g, [&](std::size_t i) { see(binning.mapped(in[i])); });
  }
  if (most == 0) {
    for_group(n, g,
              [&](std::size_t i) { different |= W(binning.mapped(in[i]) ^ binning.special); });
    if (different == 0) return 0;
  }
  return binning.bin(most) + 1;
}

/// Rows of counters of symbols, each in several copies that take turns, because a counter that has
/// just been written can be read only some cycles later.
template <std::size_t Rows>
struct SpreadCounts {
  static constexpr std::size_t kCopies = 4;
  std::uint32_t copies[Rows][kCopies][kSymbols];

  FPSYNTH_INLINE void clear(std::size_t row) { std::memset(copies[row], 0, sizeof copies[row]); }
  FPSYNTH_INLINE void add(std::size_t row, const Byte* symbols, std::size_t count) {
    auto& own = copies[row];
    if (count == kGroup) {
      for (std::size_t k = 0; k < kGroup; k += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, symbols + k, 8);
#if !defined(__CUDACC__)  // which warns of it
#pragma GCC unroll 8
#endif
        for (std::size_t j = 0; j < 8; ++j) ++own[j % kCopies][eight >> 8 * j & 0xff];
      }
    } else {
      for (std::size_t k = 0; k < count; ++k) ++own[k % kCopies][symbols[k]];
    }
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
    const Binning<W> own{map, binning.zeros, binning.special, binning.parts};
    const auto last_of = [=, &team](std::size_t g) {
      const std::uint32_t next = top_of_group(team, in, n, own, g);
      return own.last_key(next - (next > 0));
    };
    if constexpr (Team::kInOrder) {
      SpreadCounts<1> spread;
      spread.clear(0);
      for (std::size_t g = 0; g < teams::group_count(n); g += kEvery) {
        const std::uint32_t last = last_of(g);
        const std::size_t some = teams::words_of_group(n, g);
        Byte symbols[kGroup];
        work.sums[row] += group_symbols(team, in, n, g, own, last, symbols);
        spread.add(0, symbols, some);
      }
      spread.sum(0, counts);
    } else {
      const std::size_t groups = words::words_for(teams::group_count(n), kEvery);
      each(team, groups, [=, &team, &work](std::size_t k) {
        const std::uint32_t last = last_of(kEvery * k);
        const std::uint32_t below_all = own.raw_below_all(last);
        std::uint32_t raw = 0;
        for_group(n, kEvery * k, [&](std::size_t i) {
          const W word = own.mapped(in[i]);
          const std::uint32_t key = own.key(word);
          team.add(counts + own.symbol(word, key, last), 1);
          raw += own.raw_of_key(key, last, below_all);
        });
        team.add(&work.sums[row], raw);
      });
    }
  });
}

FPSYNTH_INLINE void clear_sums(Work& work) {
  FPSYNTH_ROLLED
  for (std::uint32_t& sum : work.sums) sum = 0;
}

/// Sets work.ranges.cost of `rows` sampled binnings, and all counts and sums to 0. What a block's
/// codes take is not eight times what that of a sample takes. Ends with a barrier.
template <teams::Team Team>
FPSYNTH_INLINE void find_costs(Team& team, Work& work, std::size_t rows) {
  team.barrier();
  if constexpr (!Team::kInOrder) {
    find_totals(team, work, std::uint32_t(rows),
                [&work](std::uint32_t row, std::uint32_t s) { return work.counts[row][s]; });
  }
  each(team, rows, [&work](std::size_t row) {
    const std::uint32_t* const counts = work.counts[row];
    std::uint32_t cost;
    if constexpr (Team::kInOrder) {
      cost = scaled_cost(counts, end_of(counts), nullptr, 3);
    } else {
      cost = work.totals[row].cost(3);
    }
    work.ranges.cost[row] = cost + 256 * work.sums[row];
  });
  team.barrier();
  team.template for_each<std::uint32_t>(
      0, rows * kSymbols, [counts = work.counts[0]](auto i) { i.store(counts, std::uint32_t{0}); });
  team.single([&work] { clear_sums(work); });
  team.barrier();
}

/// The op of value(word) of all words; twice the op of one is that one. Begins and ends with a
/// barrier; `of_groups` has then, of lanes, that of each group, or of more.
template <class W, teams::Team Team, class Value, class Op>
FPSYNTH_INLINE W over_all(Team& team, const W* in, std::size_t n, W* of_groups, Value value,
                          Op op) {
  if constexpr (Team::kInOrder) {
    using Items = typename Team::template Items<W>;
    using Pack = typename Items::Value;
    W all = value(in[0]);
    std::size_t i = 0;
    if (n >= Pack::lanes) {
      Pack packs = value(Items{0}.load(in));
      for (i = Pack::lanes; i + Pack::lanes <= n; i += Pack::lanes) {
        packs = op(packs, value(Items{i}.load(in)));
      }
      W lanes[Pack::lanes];
      packs.store(lanes);
      for (const W lane : lanes) all = W(op(all, lane));
    }
    for (; i < n; ++i) all = W(op(all, value(in[i])));
    return all;
  } else {
    const std::size_t count = teams::group_count(n), parts = count < kGroup ? count : kGroup;
    team.barrier();
    each(team, count, [=](std::size_t g) {
      W all = value(in[kGroup * g]);
      for_group(n, g, [&](std::size_t i) { all = W(op(all, value(in[i]))); });
      of_groups[g] = all;
    });
    team.barrier();
    each(team, parts, [=](std::size_t part) {
      W all = of_groups[part];
      FPSYNTH_ROLLED
      for (std::size_t k = part + kGroup; k < count; k += kGroup) all = W(op(all, of_groups[k]));
      of_groups[part] = all;
    });
    team.barrier();
    team.single([=] {
      W all = of_groups[0];
      FPSYNTH_ROLLED
      for (std::size_t part = 1; part < parts; ++part) all = W(op(all, of_groups[part]));
      of_groups[0] = all;
    });
    team.barrier();
    return of_groups[0];
  }
}

/// Sets zeros and one_sign. Ends with a barrier.
template <class W, teams::Team Team>
FPSYNTH_INLINE void find_common_bits(Team& team, const W* in, std::size_t n,
                                     const Scratch& scratch) {
  Work& work = work_of(scratch);
  W* const memory = reinterpret_cast<W*>(scratch.bytes);
  const auto word = [](auto own) { return own; };
  const W any = over_all(team, in, n, memory, word, [](auto a, auto b) { return a | b; });
  const W all = over_all(team, in, n, memory, word, [](auto a, auto b) { return a & b; });
  team.single([=, &work] {
    constexpr std::uint32_t kSign = words::kBits<W> - 1;
    const auto low = std::uint32_t(any), high = std::uint32_t(std::uint64_t{any} >> 32);
    work.zeros = low != 0    ? words::lowest_bit32(low)
                 : high != 0 ? 32 + words::lowest_bit32(high)
                             : 0;
    work.one_sign = any >> kSign == 0 || all >> kSign != 0;
  });
  team.barrier();
}

/// The greatest mapped word, if it is one of 64 or more: a value that stands for none, as a rule.
/// Otherwise 0. `sum`: the number of a counter, which is 0.
template <class W, teams::Team Team>
FPSYNTH_INLINE W frequent_extreme(Team& team, const W* in, std::size_t n, Binning<W> binning,
                                  std::uint32_t sum, const Scratch& scratch) {
  Work& work = work_of(scratch);
  W* const greatest = reinterpret_cast<W*>(scratch.bytes);
  W most = 0;
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
    const Binning<W> own{map, binning.zeros, 0};
    using words::larger;
    most = over_all(
        team, in, n, greatest, [=](auto word) { return own.mapped(word); },
        [](auto a, auto b) { return larger(a, b); });
  });
  const W word = binning.unmapped(most);
  if constexpr (Team::kInOrder) {
    const auto differs = [=](auto i) { return i.load(in) != word; };
    work.sums[sum] = std::uint32_t(n - team.template count_if<W>(n, differs));
  } else {
    each(team, teams::group_count(n), [=, &team, &work](std::size_t g) {
      if (greatest[g] != most) return;
      std::uint32_t count = 0;
      for_group(n, g, [&](std::size_t i) { count += in[i] == word; });
      team.add(&work.sums[sum], count);
    });
  }
  team.barrier();
  return std::size_t{work.sums[sum]} * 64 >= n ? most : W{0};
}

/// The bits of all words of a group, with the map.
template <class W, teams::Team Team>
FPSYNTH_INLINE std::uint32_t bits_of_group(Team& team, const W* in, std::size_t n, std::size_t g,
                                           Map map) {
  const Binning<W> binning{map, 0, 0, 0};
  std::uint32_t sum = 0;
  if constexpr (Team::kInOrder) {
    OfGroup<W> mapped;
    OfGroup<Number<W>> keys;  // without parts, the numbers of bits
    map_group(team, in, n, g, binning, mapped);
    group_keys(team, binning, mapped, keys);
    Number<W> all = 0;
    for (std::size_t k = 0; k < kGroup; ++k) all = Number<W>(all + keys.of[k]);
    sum = all;
  } else {
    for_group(n, g, [&](std::size_t i) { sum += binning.bits_of(binning.mapped(in[i])); });
  }
  return sum;
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
    team.add(sums, bits_of_group(team, in, n, kEvery * k, Map::Unsigned));
    team.add(sums + 1, bits_of_group(team, in, n, kEvery * k, Map::Magnitude));
  });
  team.barrier();
  const std::uint32_t as_is = sums[0], magnitude = sums[1];
  Binning<W> integers{as_is < magnitude ? Map::Unsigned : Map::Magnitude, work.zeros, 0};
  integers.special = frequent_extreme(team, in, n, integers, 2, scratch);
  if (!Binning<W>::kHasFloats || work.zeros > Binning<W>::kMostZeros) return integers;
  const std::size_t seen = kGroup * (groups - 1) + teams::words_of_group(n, kEvery * (groups - 1));
  const std::size_t least = as_is < magnitude ? as_is : magnitude;
  if (least * 4 < seen * Binning<W>::kBelow * 3) return integers;
  Binning<W> floats{work.one_sign ? Map::Positive : Map::Float, work.zeros, 0};
  floats.special = frequent_extreme(team, in, n, floats, 3, scratch);
  find_costs(team, work, 0);
  sample(team, in, n, integers, work, 0);
  sample(team, in, n, floats, work, 1);
  find_costs(team, work, 2);
  return work.ranges.cost[1] < work.ranges.cost[0] ? floats : integers;
}

/// By the words of every eighth group: the parts with which they take the fewest bits.
template <class W, teams::Team Team>
FPSYNTH_INLINE std::uint32_t choose_parts(Team& team, const W* in, std::size_t n,
                                          Binning<W> binning, const Scratch& scratch) {
  // 1, 3 and 6. No table, which would be in a lane's own memory.
  constexpr std::uint32_t kCount = 3;
  const auto tried = [](std::uint32_t row) { return (row + 1) * (row + 2) / 2; };
  static_assert(tried(kCount - 1) == kMostParts);
  Work& work = work_of(scratch);
  std::uint32_t rows = 0;
  for (; rows < kCount && tried(rows) <= binning.most_parts(); ++rows) {
    binning.parts = tried(rows);
    sample(team, in, n, binning, work, rows);
  }
  find_costs(team, work, rows);
  std::uint32_t best = 0;
  for (std::uint32_t row = 1; row < rows; ++row) {
    if (work.ranges.cost[row] < work.ranges.cost[best]) best = row;
  }
  return tried(best);
}

}  // namespace fpsynth::components::bins
