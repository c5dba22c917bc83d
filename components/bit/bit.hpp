#pragma once

#include "components/family.hpp"

namespace fpsynth::components {

/// BIT: all the most significant bits first, then the next, ..., in tiles of w words of w bits: a
/// bit-matrix transpose, its own inverse (MPC paper, IV.D). The n mod w words after the last full
/// tile are copied.
struct Bit : SizePreserving<Bit> {
  static constexpr std::string_view name = "BIT", suffix = "";
  static constexpr std::uint8_t wire = 2;
  static constexpr bool parametric = false, identity = false;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out, auto) {
    const std::size_t tiles = n / words::kBits<W>;
    team.template transpose_tiles<W>(in, tiles, out);
    team.template for_each<W>(tiles * words::kBits<W>, n,
                              [=](auto i) { i.store(out, i.load(in)); });
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out, auto) {
    forward(team, in, n, out, 0);
  }
};

}  // namespace fpsynth::components
