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
    for (std::uint64_t block = warp.index; block << args.shift < args.n; block += warp.count) {
      const std::uint64_t begin = block << args.shift, left = args.n - begin;
      const std::uint64_t most = std::uint64_t{1} << args.shift, words = left < most ? left : most;
      W divisor = 0;
      for (std::uint64_t i = warp.lane; i < words && divisor != 1; i += warp.lanes) {
        divisor = Step::common(divisor, Step::magnitude(in.load(begin + i)));
      }
      for (std::uint32_t lanes = warp.lanes / 2; lanes > 0; lanes /= 2) {
        divisor = Step::common(divisor, W(hardware.shuffle_xor(divisor, lanes)));
      }
      if (warp.lane == 0) args.divisors[block] = divisor == 0 ? W{1} : divisor;
    }
  }
};

/// Divides words by the divisors of their blocks, or multiplies by them. `out` may be `in`.
template <class Step, class W, bool kMultiply>
struct DivideKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n;
    std::uint32_t shift;
    const W* divisors;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    for_each_word<W>(
        hardware, args.n, [&](std::uint64_t i) { return in.load(i); },
        [&](std::uint64_t i, W word) {
          const W divisor = args.divisors[i >> args.shift];
          if constexpr (kMultiply) {
            out.store(i, W(word * divisor));
          } else {
            using Division = typename Step::template Division<W>;
            out.store(i, divisor == 1 ? word : Division(divisor).quotient(word));
          }
        });
  }
};

}  // namespace fpsynth::codec
