#pragma once
// The one list of the steps of preludes. Names, dispatch and tests come from it.

#include <cstddef>
#include <cstdint>

#include "components/preludes/dec.hpp"
#include "components/preludes/dict.hpp"
#include "components/preludes/dim.hpp"
#include "components/preludes/gcd.hpp"
#include "components/preludes/lag.hpp"
#include "components/preludes/lpc.hpp"
#include "components/preludes/match.hpp"
#include "components/preludes/ord.hpp"
#include "components/preludes/rat.hpp"
#include "components/preludes/rev.hpp"
#include "components/preludes/sig.hpp"
#include "components/type_list.hpp"

namespace fpsynth::preludes {

/// In the order of their wire numbers, which never change.
using Steps =
    components::TypeList<LagSub, LagXor, Ord, Dict, Dec, Rat, Dim, Gcd, Match, Sig, Lpc, Rev>;

/// The wire number of a step that no release had; none has it again.
inline constexpr std::uint8_t kRetiredWire = 8;

template <class... Ss>
constexpr bool in_wire_order(components::TypeList<Ss...>) {
  std::uint8_t next = 0;
  return (((next += next == kRetiredWire), Ss::wire == next++) && ...);
}
static_assert(in_wire_order(Steps{}), "a step's wire number is the next one");

/// Calls f.template operator()<Step>() for the step with a wire number; returns false if none has
/// it.
template <class F, class... Ss>
constexpr bool with_step(std::uint8_t wire, F f, components::TypeList<Ss...>) {
  return ((Ss::wire == wire && (f.template operator()<Ss>(), true)) || ...);
}
template <class F>
constexpr bool with_step(std::uint8_t wire, F f) {
  return with_step(wire, f, Steps{});
}

}  // namespace fpsynth::preludes
