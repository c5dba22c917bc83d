#pragma once
// The common base of the components whose output length follows from the counts of a block.

#include <cstddef>

#include "components/extent.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/block_counts.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// Derives measure of a family from its `count`, which all lanes of the team call and which sets
/// the counts that the family needs, and its `measured`, the Extent that encode returns for a block
/// of n words with these counts.
template <class Self>
struct Reducer {
  static constexpr bool reduces = true, moves_words = false;
  template <class F>
  static constexpr bool commutes_with = false;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent measure(Team& team, const W* in, std::size_t n, auto,
                                       const Scratch& scratch) {
    teams::WordCounts counts;
    Self::template count<W>(team, in, n, scratch, counts);
    return Self::template measured<W>(counts, n);
  }
};

}  // namespace fpsynth::components
