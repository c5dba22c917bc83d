#pragma once
// The kernels of the search on emulated devices: library fpsynth_walks_kernels.

#include "runners/search/gpu/sum_kernel.hpp"
#include "runners/search/gpu/walk_kernel.hpp"
#include "tests/support/kernels/kernel.hpp"

namespace fpsynth::device {

FPSYNTH_SHARED_KERNEL EmulatedKernel<search::WalkBody<std::uint64_t, true>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<search::WalkBody<std::uint64_t, false>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<search::WalkBody<std::uint32_t, true>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<search::WalkBody<std::uint32_t, false>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<search::WalkBody<std::uint16_t, true>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<search::WalkBody<std::uint16_t, false>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<search::SumBody>;

}  // namespace fpsynth::device
