#pragma once
// Kernels on an NVIDIA GPU, from what runs on any device.

#include <cstdint>

#include "components/teams/cuda.cuh"

namespace fpsynth::device {

/// A kernel is a struct with
///   static constexpr std::uint32_t kLanes    threads of a block
///   struct Args                              trivially copyable
///   template <class Hardware> static FPSYNTH_INLINE void run(Hardware, const Args&)
/// and, if it wants that many blocks on a multiprocessor at the cost of registers,
///   static constexpr std::uint32_t kBlocksPerMultiprocessor
template <class Body>
constexpr std::uint32_t blocks_per_multiprocessor() {
  if constexpr (requires { Body::kBlocksPerMultiprocessor; }) return Body::kBlocksPerMultiprocessor;
  return 1;
}
template <class Body>
__global__ void __launch_bounds__(Body::kLanes, blocks_per_multiprocessor<Body>())
    kernel(const __grid_constant__ typename Body::Args args) {
  Body::run(teams::CudaHardware<Body::kLanes>(), args);
}

}  // namespace fpsynth::device
