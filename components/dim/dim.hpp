#pragma once

#include "components/size_preserving.hpp"

namespace fpsynth::components {

/// DIMn: groups the values of each of n dimensions: words 0, n, 2n, ..., then 1, n+1, ... (MPC
/// paper, IV.D). Works for any block length. After the cut it separates byte positions (V.A.1).
struct Dim : SizePreserving<Dim> {
  static constexpr std::string_view name = "DIM", suffix = "";
  static constexpr std::uint8_t wire = 3;
  static constexpr bool parametric = true, identity = false;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out,
                                     auto dimensions) {
    team.template deinterleave<W>(in, n, dimensions, out);
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out,
                                      auto dimensions) {
    team.template interleave<W>(in, n, dimensions, out);
  }
};

}  // namespace fpsynth::components
