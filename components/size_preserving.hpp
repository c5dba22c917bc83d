#pragma once
// Common base of the components that transform a block without changing its length.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/extent.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// Derives encode, decode and measure of a family from its `forward` and `backward`, each of which
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

}  // namespace fpsynth::components
