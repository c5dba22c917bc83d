#include "tests/runners/codec/gpu/fixed_pipelines.hpp"

#include "runners/codec/gpu/kernels.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/codec/gpu/static_program.hpp"
#include "runners/device/cuda_kernel.cuh"

namespace fpsynth::device {

template <class Pipeline>
using Encode = codec::EncodeKernel<codec::StaticProgram<Pipeline>>;
template <class Pipeline>
using Decode = codec::DecodeKernel<codec::StaticProgram<Pipeline>>;

template __global__ void kernel<Encode<codec::testing::Mpc>>(
    const __grid_constant__ Encode<codec::testing::Mpc>::Args);
template __global__ void kernel<Decode<codec::testing::Mpc>>(
    const __grid_constant__ Decode<codec::testing::Mpc>::Args);
template __global__ void kernel<Encode<codec::testing::Grown>>(
    const __grid_constant__ Encode<codec::testing::Grown>::Args);
template __global__ void kernel<Decode<codec::testing::Grown>>(
    const __grid_constant__ Decode<codec::testing::Grown>::Args);
template __global__ void kernel<Encode<codec::testing::Half>>(
    const __grid_constant__ Encode<codec::testing::Half>::Args);
template __global__ void kernel<Decode<codec::testing::Half>>(
    const __grid_constant__ Decode<codec::testing::Half>::Args);
template __global__ void kernel<codec::VerdictKernel>(
    const __grid_constant__ codec::VerdictKernel::Args);
// HeaderKernel and the kernels of the steps are those of cuda_codec.cu.

}  // namespace fpsynth::device
