#include "tests/runners/codec/gpu/fixed_pipelines.hpp"

#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/side_coding.hpp"
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
using WideSide = codec::SidePipeline<std::uint64_t>;
using NarrowSide = codec::SidePipeline<std::uint32_t>;
template __global__ void kernel<Encode<WideSide>>(const __grid_constant__ Encode<WideSide>::Args);
template __global__ void kernel<Decode<WideSide>>(const __grid_constant__ Decode<WideSide>::Args);
template __global__ void kernel<Encode<NarrowSide>>(
    const __grid_constant__ Encode<NarrowSide>::Args);
template __global__ void kernel<Decode<NarrowSide>>(
    const __grid_constant__ Decode<NarrowSide>::Args);
using WideRanks = codec::RankPipeline<std::uint64_t>;
using NarrowRanks = codec::RankPipeline<std::uint32_t>;
template __global__ void kernel<Encode<WideRanks>>(const __grid_constant__ Encode<WideRanks>::Args);
template __global__ void kernel<Decode<WideRanks>>(const __grid_constant__ Decode<WideRanks>::Args);
template __global__ void kernel<Encode<NarrowRanks>>(
    const __grid_constant__ Encode<NarrowRanks>::Args);
template __global__ void kernel<Decode<NarrowRanks>>(
    const __grid_constant__ Decode<NarrowRanks>::Args);
template __global__ void kernel<codec::VerdictKernel>(
    const __grid_constant__ codec::VerdictKernel::Args);

template __global__ void kernel<codec::PreludeHeaderKernel>(
    const __grid_constant__ codec::PreludeHeaderKernel::Args);
template __global__ void kernel<codec::PreludeVerdictKernel>(
    const __grid_constant__ codec::PreludeVerdictKernel::Args);
// The kernels of the steps are those of cuda_codec.cu.

}  // namespace fpsynth::device
