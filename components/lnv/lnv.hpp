#pragma once

#include "components/size_preserving.hpp"

namespace fpsynth::components {

/// Common base of LNVns and LNVnx: the n-th prior value of the block predicts the current one, and
/// the residual replaces it; the first n words are copied (MPC paper, IV.D). Decoding is an
/// inclusive scan with stride n.
template <class Self, class Combine>
struct Lnv : SizePreserving<Self> {
  static constexpr std::string_view name = "LNV";
  static constexpr bool parametric = true, identity = false;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out,
                                     auto distance) {
    const std::size_t copied = n < distance ? n : std::size_t(distance);
    team.template for_each<W>(0, copied, [=](auto i) { i.store(out, i.load(in)); });
    team.template for_each<W>(copied, n, [=](auto i) {
      i.store(out, Self::residual(i.load(in), i.load(in, -std::ptrdiff_t(distance))));
    });
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out,
                                      auto distance) {
    team.template scan<W>(Combine{}, in, n, distance, out);
  }
};

}  // namespace fpsynth::components
