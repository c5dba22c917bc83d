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

/// Sets the bit of scratch.starts for every word, of n > 0, at which a run begins, and after every
/// `Longest` words of a longer run. start(bits, before) has the bits of 64 words at which a run
/// begins, from their bits in scratch.mask, just set by a phase, and those of the 64 words before
/// them; the first word's bit is set here. All lanes call it. The caller must call a collective
/// next, which has the barrier.
template <std::uint64_t Longest, teams::Team Team, class Start>
FPSYNTH_INLINE void mark_pieces(Team& team, std::size_t n, const Scratch& scratch, Start start) {
  using words::select, words::highest_bit, words::bit_at;
  using Mask = std::uint64_t;
  Mask *const found = scratch.mask, *const starts = scratch.starts;
  const std::size_t masks = words::words_for(n, 64), last = masks - 1;

  team.single([=] { found[0] |= 1; });
  team.template with_prefix<Mask>(
      words::Max{}, masks, scratch.runs,
      // Marks the starts of runs; the value is the position of the last one among these 64 words.
      [=](auto i) {
        const auto begins = start(i.load(found), i.load(found, -1));
        i.store(starts, begins);
        return select(begins != Mask{0}, (i.index() << 6) + highest_bit(begins), begins);
      },
      // `run` is the start of the run that enters this mask word. A run starts a piece every
      // `Longest` words from its beginning: at most one of them is among these 64 words, and only
      // before the next run.
      [=](auto i, auto run) {
        const auto begins = i.load(starts);
        const auto offset = (run - (i.index() << 6)) & (Longest - 1);
        const auto piece = bit_at(offset);
        const auto run_goes_on = (begins & (piece - Mask{1})) == Mask{0};
        i.store(starts, select(run_goes_on, begins | piece, begins));
      });
  team.single([=] { starts[last] &= words::low_mask(n - 64 * last); });
}

/// mark_pieces() for the tokens of RLE: scratch.mask has the bits of the literals.
template <teams::Team Team>
FPSYNTH_INLINE void mark_tokens(Team& team, std::size_t n, const Scratch& scratch) {
  mark_pieces<kLongestToken>(team, n, scratch, [](auto literal, auto before) {
    return literal ^ (literal << 1 | before >> 63);
  });
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
