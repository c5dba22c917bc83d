#pragma once
// The steps of preludes on the CPU, by their numbers in files.

#include <cstddef>
#include <cstdint>

#include "components/preludes/registry.hpp"
#include "runners/codec/cpu/steps/excepted.hpp"
#include "runners/codec/cpu/steps/lagged.hpp"
#include "runners/codec/cpu/steps/mapped.hpp"
#include "runners/codec/cpu/steps/ranked.hpp"

namespace fpsynth::codec {

/// StepDriver's functions for the step with the number `kind`, which must be one of
/// preludes::Steps.
template <class Level, class W>
struct PreludeDriver {
  static Status forward(std::uint8_t kind, const std::byte* in, std::byte* out, std::size_t n,
                        std::uint64_t parameter, int threads, SideData<W>& side) {
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      status = StepDriver<Level, W, Step>::forward(in, out, n, parameter, threads, side);
    });
    return status;
  }

  static Status backward(std::uint8_t kind, std::byte* words, std::size_t n,
                         std::uint64_t parameter, int threads, const SideData<W>& side) {
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      status = StepDriver<Level, W, Step>::backward(words, n, parameter, threads, side);
    });
    return status;
  }
};

}  // namespace fpsynth::codec
