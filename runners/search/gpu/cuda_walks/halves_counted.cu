#include "runners/device/cuda_kernel.cuh"
#include "runners/search/gpu/walk_kernel.hpp"

template struct fpsynth::device::CudaKernel<fpsynth::search::WalkBody<std::uint16_t, false>>;
