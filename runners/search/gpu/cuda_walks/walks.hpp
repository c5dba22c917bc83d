#pragma once
// The kernels of walks on GPUs. Each takes minutes to compile, in a file of its own beside this
// one.

#include "runners/device/cuda_kernel.cuh"
#include "runners/search/gpu/walk_kernel.hpp"

namespace fpsynth::device {

extern template struct CudaKernel<search::WalkBody<std::uint64_t, true>>;
extern template struct CudaKernel<search::WalkBody<std::uint64_t, false>>;
extern template struct CudaKernel<search::WalkBody<std::uint32_t, true>>;
extern template struct CudaKernel<search::WalkBody<std::uint32_t, false>>;

}  // namespace fpsynth::device
