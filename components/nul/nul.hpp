#pragma once

#include "components/family.hpp"

namespace fpsynth::components {

/// NUL: output = input. It makes shorter pipelines part of the space (MPC paper, IV.D).
struct Nul : SizePreserving<Nul> {
  static constexpr std::string_view name = "NUL", suffix = "";
  static constexpr std::uint8_t wire = 0;
  static constexpr bool parametric = false, identity = true;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out, auto) {
    team.template for_each<W>(0, n, [=](auto i) { i.store(out, i.load(in)); });
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out, auto) {
    forward(team, in, n, out, 0);
  }
};

}  // namespace fpsynth::components
