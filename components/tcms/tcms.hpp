#pragma once

#include <type_traits>

#include "components/family.hpp"

namespace fpsynth::components {

struct Dim;

/// TCMS: two's complement to magnitude and, as the lowest bit, sign, so that small differences of
/// either sign have zeros above (Azami, Fallin, Burtscher: FPcompress, ASPLOS 2025, 3.1).
struct Tcms : SizePreserving<Tcms> {
  static constexpr std::string_view name = "TCMS", suffix = "";
  static constexpr std::uint8_t wire = 14;
  static constexpr bool parametric = false, identity = false;
  template <class F>
  static constexpr bool commutes_with = std::is_same_v<F, Dim>;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out, auto) {
    teams::put_each<W>(team, 0, n, out, [=](auto i) {
      const auto word = i.load(in);
      return (word + word) ^ ((word ^ word) - (word >> int(8 * sizeof(W) - 1)));
    });
  }
  /// Twice the half, less the word, is 0 or, of a negative one, all ones.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out, auto) {
    teams::put_each<W>(team, 0, n, out, [=](auto i) {
      const auto word = i.load(in);
      const auto half = word >> 1;
      return half ^ ((half + half) - word);
    });
  }
};

}  // namespace fpsynth::components
