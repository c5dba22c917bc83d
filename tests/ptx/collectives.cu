#include "tests/ptx/collectives.hpp"

#include "runners/device/cuda_kernel.cuh"

namespace fpsynth::device {

template __global__ void kernel<ptx::CollectivesKernel>(
    const __grid_constant__ ptx::CollectivesKernel::Args);

}  // namespace fpsynth::device
