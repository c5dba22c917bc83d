#pragma once
// The decisions of BINS on a block before it writes anything: the binning, the symbols, the codes.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/bins/binning.hpp"
#include "components/bins/binning_choice.hpp"
#include "components/bins/code.hpp"
#include "components/bins/header.hpp"
#include "components/bins/raw.hpp"
#include "components/bins/states.hpp"
#include "components/bins/work.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// Sets top_of_group() of all groups, and finds the highest bin of the block and the base of its
/// classes.
template <class W, teams::Team Team>
FPSYNTH_INLINE void find_tops(Team& team, const W* in, std::size_t n, Binning<W> binning,
                              const Scratch& scratch) {
  Work& work = work_of(scratch);
  auto* const tops = reinterpret_cast<std::uint16_t*>(scratch.starts);
  const std::size_t groups = teams::group_count(n);
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
    const Binning<W> own{map, binning.zeros, binning.special, binning.parts};
    each(team, groups,
         [=, &team](std::size_t g) { tops[g] = std::uint16_t(top_of_group(team, in, n, own, g)); });
  });
  team.barrier();
  // As long as most groups are farther away than classes reach, the highest of these is the base.
  constexpr std::uint32_t kParts = Team::kInOrder ? 1 : kClasses, kNone = ~0u;
  for (std::uint32_t base = kNone;;) {
    each(team, kParts, [=, &work](std::size_t part) {
      std::uint32_t far = 0, highest = 0;
      FPSYNTH_ROLLED
      for (std::size_t g = part; g < groups; g += kParts) {
        const bool is_far = tops[g] > 0 && tops[g] + kFarthest <= base;
        far += is_far;
        if (is_far) highest = words::larger<std::uint32_t>(highest, tops[g]);
      }
      work.ranges.cost[part] = far;
      work.ranges.joined[part] = highest;
    });
    team.barrier();
    team.single([=, &work] {
      std::uint32_t far = 0, highest = 0;
      FPSYNTH_ROLLED
      for (std::uint32_t part = 0; part < kParts; ++part) {
        far += work.ranges.cost[part];
        highest = words::larger(highest, work.ranges.joined[part]);
      }
      if (base == kNone) work.top = highest > 0 ? highest - 1 : 0;
      work.base = base == kNone || 2 * far >= groups ? highest : base;
    });
    team.barrier();
    const std::uint32_t next = work.base;
    if (next == base || next <= kFarthest) break;
    base = next;
  }
  team.barrier();
  team.single([&work] { work.base -= work.base > 0; });
  team.barrier();
}

/// Counts the symbols of every class of groups, and leaves symbols and classes in scratch.bytes and
/// classes_of().
template <class W, teams::Team Team>
FPSYNTH_INLINE void count_symbols(Team& team, const W* in, std::size_t n, Binning<W> binning,
                                  const Scratch& scratch) {
  Work& work = work_of(scratch);
  const auto* const tops = reinterpret_cast<const std::uint16_t*>(scratch.starts);
  Byte *const classes = classes_of(scratch), *const symbols = scratch.bytes;
  const auto class_of = [=, &team, &work](std::size_t g) {
    std::uint32_t c = kSpecialGroup;
    if (tops[g] > 0) {
      const std::uint32_t own = tops[g] - 1u, down = work.base - own;
      c = own > work.base ? 0 : down + 1 < kFarthest ? down + 1 : kFarthest;
    }
    team.add(&work.counts[kSpecialGroup][c], 1);
    classes[g] = Byte(c);
    return c;
  };
  with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
    const Binning<W> own{map, binning.zeros, binning.special, binning.parts};
    if constexpr (Team::kInOrder) {
      SpreadCounts<kClasses> counts;  // set to 0 where a class is first met
      for (std::size_t g = 0; g < teams::group_count(n); ++g) {
        const std::uint32_t c = class_of(g);
        Byte* const own_symbols = symbols + kGroup * g;
        group_symbols(team, in, n, g, own, own.last_key(work.bin_of(c)), own_symbols);
        if (work.counts[kSpecialGroup][c] == 1) counts.clear(c);
        counts.add(c, own_symbols, teams::words_of_group(n, g));
      }
      for (std::uint32_t c = 0; c <= kFarthest; ++c) {
        if (work.counts[kSpecialGroup][c] > 0) counts.sum(c, work.counts[c]);
      }
    } else {
      each(team, teams::group_count(n), [=, &team, &work](std::size_t g) {
        const std::uint32_t c = class_of(g);
        std::uint32_t* const counts = work.counts[c];
        const std::uint32_t last = own.last_key(work.bin_of(c));
        for_group(n, g, [&](std::size_t i) {
          const W word = own.mapped(in[i]);
          const std::uint32_t symbol = own.symbol(word, own.key(word), last);
          // In a group of special words, none counts.
          if (c != kSpecialGroup) team.add(counts + symbol, 1);
          symbols[i] = Byte(symbol);
        });
      });
    }
  });
}

/// Counts, and decides everything. Symbols and classes are in scratch.bytes and classes_of()
/// afterwards. Ends with a barrier.
template <class W, teams::Team Team>
FPSYNTH_INLINE Binning<W> plan(Team& team, const W* in, std::size_t n, const Scratch& scratch) {
  Work& work = work_of(scratch);
  team.barrier();
  team.template for_each<std::uint32_t>(
      0, sizeof work.counts / 4,
      [counts = &work.counts[0][0]](auto i) { i.store(counts, std::uint32_t{0}); });
  team.single([&work] { clear_sums(work); });
  team.barrier();
  Binning<W> binning = choose_binning(team, in, n, scratch);
  find_costs(team, work, 0);
  binning.parts = choose_parts(team, in, n, binning, scratch);
  find_tops(team, in, n, binning, scratch);
  count_symbols(team, in, n, binning, scratch);
  team.single([=, &work] {
    work.map = std::uint32_t(binning.map);
    work.special = binning.special;
    work.parts = binning.parts;
    work.raw_bits = 0;
  });
  team.barrier();
  const auto add_raw = [=, &team, &work](std::uint32_t c, std::uint32_t begin, std::uint32_t end) {
    with_map<Team::kInOrder, W>(binning.map, [&](auto map) {
      const Binning<W> own{map, binning.zeros, binning.special, binning.parts};
      const std::uint32_t last = own.last_key(work.bin_of(c));
      const std::uint32_t below_all = own.raw_below_all(last), *const counts = work.counts[c];
      std::uint32_t raw = 0;
      FPSYNTH_ROLLED
      for (std::uint32_t s = begin; s < end; ++s) {
        raw += counts[s] * own.raw_bits(s, last, below_all);
      }
      if (raw > 0) team.add(&work.raw_bits, raw);
    });
  };
  constexpr std::uint32_t kPiece = Team::kInOrder ? kSymbols : 8, kPieces = kSymbols / kPiece;
  each(team, (kFarthest + 1) * kPieces, [=, &work](std::size_t k) {
    const std::uint32_t c = std::uint32_t(k / kPieces), begin = k % kPieces * kPiece;
    if (work.counts[kSpecialGroup][c] > 0) add_raw(c, begin, begin + kPiece);
  });
  choose_codes(team, work);
  team.single([=, &work] {
    work.state_count = states_for(work, n);
    lay_header<W>(work);
  });
  team.barrier();
  return binning;
}

/// Puts the words of a planned block into states and, with `Keep`, all but its header into `out`.
/// Returns the block's length in bytes, or kNoPlace if it is longer than n words. The states are
/// final, and visible to all lanes, afterwards.
template <class W, bool Keep, teams::Team Team>
FPSYNTH_INLINE std::size_t put_block(Team& team, const W* in, std::size_t n, Binning<W> binning,
                                     const Scratch& scratch, Byte* out) {
  Work& work = work_of(scratch);
  const std::uint32_t states = work.state_count;
  const std::size_t raw_at = raw_begin(work.at[work.code_count + 1]);
  const std::size_t own = raw_bytes(work.raw_bits, states), fixed = raw_at + own + 4 * states;
  if (fixed > n * sizeof(W)) return kNoPlace;
  if constexpr (!Team::kInOrder) {
    team.template for_each<std::uint32_t>(
        0, sizeof work.carried / 4, [to = work.carried](auto i) { i.store(to, std::uint32_t{0}); });
    if (Keep) {
      team.template for_each<Byte>(raw_at, raw_at + own + 8,
                                   [=](auto i) { i.store(out, Byte{0}); });
    }
    team.barrier();
  } else {
    std::memset(work.carried, 0, sizeof work.carried);
  }
  put_raw<W>(team, in, n, binning, scratch, Keep ? out + raw_at : nullptr);
  team.barrier();
  each(team, states,
       [&work](std::size_t k) { work.states[k] = kLeastState + number_at<Team>(work.carried, k); });
  team.barrier();
  const std::size_t most = (n * sizeof(W) - fixed) / 2;
  const Byte* const classes = classes_of(scratch);
  Byte* const to = Keep ? out + raw_at + own : nullptr;
  std::size_t given = put_symbols<Keep>(
      team, scratch.bytes, n,
      [=, &work](std::size_t g) { return std::uint32_t{work.code_of[classes[g]]}; }, work, 0, most,
      to);
  given = put_symbols<Keep>(
      team, classes, teams::group_count(n), [](std::size_t) { return kOfClasses; }, work, given,
      most, to);
  return given == kNoPlace ? kNoPlace : fixed + 2 * given;
}

}  // namespace fpsynth::components::bins
