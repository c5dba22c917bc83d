#pragma once

#include <type_traits>

#include "components/block_counts.hpp"
#include "components/family.hpp"

namespace fpsynth::components {

struct Bit;
struct Dim;

/// INV: flips every bit; its own inverse (MPC paper, IV.D).
struct Inv : SizePreserving<Inv> {
  static constexpr std::string_view name = "INV", suffix = "";
  static constexpr std::uint8_t wire = 1;
  static constexpr bool parametric = false, identity = false;
  /// INV commutes with the families that only move bits.
  template <class F>
  static constexpr bool commutes_with = std::is_same_v<F, Dim> || std::is_same_v<F, Bit>;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out, auto) {
    teams::put_each<W>(team, 0, n, out, [=](auto i) { return ~i.load(in); });
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out, auto) {
    forward(team, in, n, out, 0);
  }

  /// Runs stay as they are; words of all ones become 0.
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool count_output(Team& team, const CountedBlock& in, std::size_t n, auto,
                                          const Scratch&, teams::BlockCounts& counts) {
    const auto nonzero = [&]<class V>(std::size_t items, V all_ones) {
      const std::byte* const block = in.block;
      return std::uint32_t(
          team.template count_if<V>(items, [=](auto i) { return i.load(block) != all_ones; }));
    };
    counts = in.counts;
    counts.bytes.nonzero = nonzero(n * sizeof(W), std::uint8_t(~0u));
    if constexpr (sizeof(W) == 1) {
      counts.words = counts.bytes;
    } else {
      counts.words.nonzero = nonzero(n, W(~W{0}));
    }
    return true;
  }
};

}  // namespace fpsynth::components
