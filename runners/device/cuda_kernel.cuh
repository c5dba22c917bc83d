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

}  // namespace fpsynth::device
