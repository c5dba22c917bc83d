#pragma once
// Makes a kernel for any device a kernel for NVIDIA GPUs.

#include <cstdint>

#include "components/teams/cuda.cuh"
#include "runners/device/kernel.hpp"

namespace fpsynth::device {

template <Kernel Body>
constexpr std::uint32_t blocks_per_multiprocessor() {
  if constexpr (requires { Body::kBlocksPerMultiprocessor; }) return Body::kBlocksPerMultiprocessor;
  return 1;
}
template <Kernel Body>
__global__ void __launch_bounds__(Body::kLanes, blocks_per_multiprocessor<Body>())
    kernel(const __grid_constant__ typename Body::Args args) {
  Body::run(teams::CudaHardware<Body::kLanes>(), args);
}

/// A kernel as the host calls it. A class of its own, so that a kernel which takes long to compile
/// can have a file of its own: `extern template struct`.
template <Kernel Body>
struct CudaKernel {
  static const void* entry();
};
template <Kernel Body>
const void* CudaKernel<Body>::entry() {
  return reinterpret_cast<const void*>(kernel<Body>);
}

}  // namespace fpsynth::device
