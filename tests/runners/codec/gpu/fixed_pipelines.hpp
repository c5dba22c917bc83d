#pragma once
// Pipelines as types, of which nvcc compiles the kernels that generated CUDA projects have
// (fixed_pipelines.cu), so that tests can run them as PTX.

#include <cstdint>

#include "components/family.hpp"
#include "components/preludes/dim.hpp"
#include "components/preludes/lag.hpp"
#include "components/preludes/ord.hpp"
#include "components/registry.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/gpu/preludes/static_prelude_codec.hpp"

namespace fpsynth::codec::testing {

using Mpc = components::StaticPipeline<
    std::uint64_t, 4, components::Use<components::LnvSub, 6>, components::Use<components::Bit>,
    components::Use<components::LnvSub, 1>, components::Use<components::Ze>>;
constexpr const char* kMpc = "LNV6s BIT LNV1s ZE";

/// Its blocks outgrow shared memory.
using Grown = components::StaticPipeline<
    std::uint64_t, 8, components::Use<components::Inv>, components::Use<components::Rle>,
    components::Use<components::Ze>, components::Use<components::Bit>,
    components::Use<components::Rle>, components::Use<components::Dim, 64>,
    components::Use<components::LnvXor, 63>, components::Use<components::Rle>>;
constexpr const char* kGrown = "INV RLE ZE BIT RLE DIM64 LNV63x RLE";

using Single = components::StaticPipeline<std::uint32_t, 1, components::Use<components::LnvSub, 1>,
                                          components::Use<components::Rle>>;
constexpr const char* kSingle = "LNV1s | RLE";

using Half =
    components::StaticPipeline<std::uint16_t, 2, components::Use<components::LnvSub, 1>,
                               components::Use<components::Bit>, components::Use<components::Ze>>;
constexpr const char* kHalf = "LNV1s BIT | ZE";

template <std::uint64_t N>
using Dim = StaticStep<preludes::Dim, N>;
template <std::uint64_t L>
using Sub = StaticStep<preludes::LagSub, L>;
template <std::uint64_t L>
using Xor = StaticStep<preludes::LagXor, L>;
using Ord = StaticStep<preludes::Ord>;

/// Steps in front of Mpc.
template <class Device>
using MpcBehindSteps = StaticPreludeDeviceCodec<Device, Mpc, Ord, Sub<7>, Xor<1000>>;
constexpr const char* kMpcBehindSteps = "ORD LAGs:7 LAGx:1000 / LNV6s BIT LNV1s ZE";

}  // namespace fpsynth::codec::testing
