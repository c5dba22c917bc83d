#pragma once
// The parts that the families of components are made of: a stage's result, a family with its
// parameter, and the common bases of the families.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/block_counts.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// The result of a stage: how long its output block is, in words of the stage's word size.
/// `values` is the number of value words in an RLE block; every other component leaves it 0.
struct Extent {
  std::uint32_t words = 0;
  std::uint32_t values = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// A component: a family, and its n if the family has a parameter.
template <class F, unsigned N = 0>
struct Use {
  using Family = F;
  static constexpr unsigned parameter = N;
  static_assert(F::parametric ? N >= 1 && N <= 64 : N == 0,
                "n is 1..64 for DIM and LNV; other families have none");
};

/// The common base of the components that keep the length of a block. Derives encode, decode and
/// measure of a family from its `forward` and `backward`, each of which
/// maps n words to n words. All lanes of the team call them; the block is complete for every lane
/// only after the caller's barrier.
template <class Self>
struct SizePreserving {
  static constexpr bool reduces = false;
  /// True if the stage only moves words, which keeps the numbers of zero words and zero bytes.
  static constexpr bool moves_words = false;
  /// True if this stage and one of family F give the same block in either order, both on words of
  /// one size and with any parameters.
  template <class F>
  static constexpr bool commutes_with = false;
  static constexpr std::uint8_t frame_fields = 0;
  static constexpr bool has_tables = false;

  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return n;
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out,
                                      auto parameter, const Scratch&) {
    Self::forward(team, in, n, out, parameter);
    return {std::uint32_t(n), 0};
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto parameter, const Scratch&) {
    if (extent.words != n) return false;
    Self::backward(team, in, n, out, parameter);
    return true;
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent measure(Team&, const W*, std::size_t n, auto, const Scratch&) {
    return {std::uint32_t(n), 0};
  }
};

/// The common base of the components whose output length follows from the counts of a block.
/// Derives measure of a family from its `count`, which all lanes of the team call and which sets
/// the counts that the family needs, and its `measured`, the Extent that encode returns for a block
/// of n words with these counts.
template <class Self>
struct Reducer {
  static constexpr bool reduces = true, moves_words = false, has_tables = false;
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
