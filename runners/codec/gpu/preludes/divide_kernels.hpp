#pragma once
// Kernels of the steps of preludes whose shape is Divided.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "runners/codec/gpu/preludes/prelude_kernels.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"

namespace fpsynth::codec {

/// Finds the divisors of blocks of 2^shift words, each of which a warp takes.
template <class Step, class W>
struct DivisorKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::uint64_t n;
    std::uint32_t shift;
    W* divisors;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const WarpInLaunch<Hardware> warp(hardware);
    warp.each_block(
        args.n, args.shift, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t words) {
          W divisor = 0;
          for (std::uint64_t i = warp.lane; i < words && divisor != 1; i += warp.lanes) {
            divisor = Step::common(divisor, Step::magnitude(in.load(begin + i)));
          }
          for (std::uint32_t lanes = warp.lanes / 2; lanes > 0; lanes /= 2) {
            divisor = Step::common(divisor, W(hardware.shuffle_xor(divisor, lanes)));
          }
          if (warp.lane == 0) args.divisors[block] = divisor == 0 ? W{1} : divisor;
        });
  }
};

/// The maps of a step whose shape is Divided: divides words by the divisors of their blocks, or
/// multiplies by them.
template <class Step, class W, bool kMultiply>
struct DivideMap {
  std::uint32_t shift;
  const W* divisors;

  FPSYNTH_INLINE W operator()(W word, std::uint64_t i) const {
    const W divisor = divisors[i >> shift];
    if constexpr (kMultiply) {
      return W(word * divisor);
    } else {
      using Division = typename Step::template Division<W>;
      return divisor == 1 ? word : Division(divisor).quotient(word);
    }
  }
};

}  // namespace fpsynth::codec
