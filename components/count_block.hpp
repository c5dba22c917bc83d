#pragma once
// Measures all reducers of the registry on a block at once.

#include <cstddef>
#include <cstdint>

#include "components/block_counts.hpp"
#include "components/registry.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"

namespace fpsynth::components {

/// A family whose output length follows from a block's WordCounts. Its `count` adds the counts
/// that it needs, and its `measured` is the Extent that `encode` would return.
template <class Family>
concept Counted = requires(teams::WordCounts counts, std::size_t n) {
  Family::template measured<std::uint8_t>(counts, n);
};

/// Counts a block of n words, n > 0, with the phases of the families.
template <class W, teams::Team Team, class... Fs>
FPSYNTH_INLINE teams::WordCounts count_words(Team& team, const W* in, std::size_t n,
                                             const Scratch& scratch, TypeList<Fs...>) {
  teams::WordCounts counts;
  const auto count = [&]<class Family>() {
    if constexpr (Counted<Family>) {
      team.barrier();
      Family::template count<W>(team, in, n, scratch, counts);
    }
  };
  (count.template operator()<Fs>(), ...);
  return counts;
}

/// Counts a block of n words, n > 0, as words and as bytes. All lanes call it and get the result;
/// `scratch` must hold as many items as the block has bytes. A team may have a faster
/// implementation, `block_counts`. If not `Nonzero`, the words that are not zero need not be
/// counted.
template <class W, bool Nonzero = true, teams::Team Team>
FPSYNTH_INLINE teams::BlockCounts count_block(Team& team, const W* in, std::size_t n,
                                              const Scratch& scratch) {
  if constexpr (requires {
                  team.template block_counts<W, Nonzero>(in, n, nullptr, nullptr, nullptr);
                }) {
    return team.template block_counts<W, Nonzero>(in, n, scratch.mask, scratch.starts,
                                                  scratch.runs);
  } else {
    teams::BlockCounts counts;
    counts.words = count_words<W>(team, in, n, scratch, Families{});
    counts.bytes = sizeof(W) == 1
                       ? counts.words
                       : count_words<std::uint8_t>(team, reinterpret_cast<const std::uint8_t*>(in),
                                                   n * sizeof(W), scratch, Families{});
    return counts;
  }
}

}  // namespace fpsynth::components
