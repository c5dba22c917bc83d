#pragma once

#include <type_traits>

#include "components/block_counts.hpp"
#include "components/count_runs.hpp"
#include "components/family.hpp"

namespace fpsynth::components {

/// Common base of LNVns and LNVnx: the n-th prior value of the block predicts the current one, and
/// the residual replaces it; the first n words are copied (MPC paper, IV.D). Decoding is an
/// inclusive scan with stride n.
template <class Self, class Combine>
struct Lnv : SizePreserving<Self> {
  static constexpr std::string_view name = "LNV";
  static constexpr bool parametric = true, identity = false;
  /// Both are polynomials in the shift by one word, of a block with zeros before it.
  template <class F>
  static constexpr bool commutes_with = std::is_same_v<F, Self>;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void forward(Team& team, const W* in, std::size_t n, W* out,
                                     auto distance) {
    const auto residual = [](auto value, auto prediction) {
      return Self::residual(value, prediction);
    };
    if constexpr (requires { team.with_prior(in, n, distance, out, residual); }) {
      if (team.with_prior(in, n, distance, out, residual)) return;
    }
    const std::size_t copied = n < distance ? n : std::size_t(distance);
    team.template for_each<W>(0, copied, [=](auto i) { i.store(out, i.load(in)); });
    teams::put_each<W>(team, copied, n, out, [=](auto i) {
      return Self::residual(i.load(in), i.load(in, -std::ptrdiff_t(distance)));
    });
  }
  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void backward(Team& team, const W* in, std::size_t n, W* out,
                                      auto distance) {
    team.template scan<W>(Combine{}, in, n, distance, out);
  }

  /// The counts of the output d of a block x of bytes, with zeros before both of them:
  ///
  ///     d[i] = 0       where  x[i] = x[i-n], for the difference and the exclusive or alike
  ///     d[i] = d[i-1]  where  y[i] = y[i-n], y being the output of LNV1, since the two commute
  ///
  /// Not known for distances that reach past the zeros. (On words, that would take four passes for
  /// the counts of words and of bytes, which is more than producing the output.)
  template <class W, teams::Team Team>
  requires(sizeof(W) == 1) FPSYNTH_INLINE
      static bool count_output(Team& team, const CountedBlock& in, std::size_t n,
                               std::size_t distance, const Scratch& scratch,
                               teams::BlockCounts& counts) {
    if (distance > kBlockSlack) return false;
    const std::byte *const block = in.block, *const step = Self::step(in);
    const std::ptrdiff_t before = -std::ptrdiff_t(distance);
    std::uint32_t& different = in.different[distance];
    if (different == CountedBlock::kUnknown) {
      different = std::uint32_t(team.template count_if<W>(
          n, [=](auto i) { return i.load(block) != i.load(block, before); }));
    }
    team.template flags<W>(n, scratch.mask,
                           [=](auto i) { return i.load(step) != i.load(step, before); });
    counts.bytes = count_runs(team, n, scratch);
    counts.bytes.nonzero = different;
    counts.words = counts.bytes;
    return true;
  }
};

}  // namespace fpsynth::components
