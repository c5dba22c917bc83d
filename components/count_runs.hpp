#pragma once
// Runs of literals and repeats, found in the bits that say which words of a block are literals.

#include <cstddef>
#include <cstdint>

#include "components/block_counts.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// The most words of a run that one token of RLE covers.
inline constexpr std::uint64_t kLongestToken = 128;

/// Sets the bit of scratch.starts for every word, of n > 0, at which a token begins. scratch.mask
/// has the bits of the literals, just set by a phase; that of the first word is set here. All lanes
/// call it. The caller must call a collective next, which has the barrier.
template <teams::Team Team>
FPSYNTH_INLINE void mark_tokens(Team& team, std::size_t n, const Scratch& scratch) {
  using words::select, words::highest_bit, words::bit_at;
  using Mask = std::uint64_t;
  Mask *const literals = scratch.mask, *const starts = scratch.starts;
  const std::size_t masks = words::words_for(n, 64), last = masks - 1;

  team.single([=] { literals[0] |= 1; });
  team.template with_prefix<Mask>(
      words::Max{}, masks, scratch.runs,
      // Marks the starts of runs; the value is the position of the last one among these 64 words.
      [=](auto i) {
        const auto literal = i.load(literals);
        const auto start = literal ^ (literal << 1 | i.load(literals, -1) >> 63);
        i.store(starts, start);
        return select(start != Mask{0}, (i.index() << 6) + highest_bit(start), start);
      },
      // `run` is the start of the run that enters this mask word. A run starts a token every 128
      // words from its beginning: at most one of them is among these 64 words, and only before
      // the next run.
      [=](auto i, auto run) {
        const auto start = i.load(starts);
        const auto offset = (run - (i.index() << 6)) & (kLongestToken - 1);
        const auto token = bit_at(offset);
        const auto run_goes_on = (start & (token - Mask{1})) == Mask{0};
        i.store(starts, select(run_goes_on, start | token, start));
      });
  team.single([=] { starts[last] &= words::low_mask(n - 64 * last); });
}

/// Counts the literals and tokens of n > 0 words, whose literal bits are in scratch.mask, just set
/// by a phase. All lanes call it and get the result; `nonzero` is 0.
template <teams::Team Team>
FPSYNTH_INLINE teams::WordCounts count_runs(Team& team, std::size_t n, const Scratch& scratch) {
  if constexpr (requires { team.count_runs(scratch.mask, n, scratch.runs); }) {
    return team.count_runs(scratch.mask, n, scratch.runs);
  } else {
    mark_tokens(team, n, scratch);
    const auto bits = team.count_bits(scratch.mask, scratch.starts, n);
    return {0, std::uint32_t(bits.first), std::uint32_t(bits.second)};
  }
}

}  // namespace fpsynth::components
