#pragma once
// The kernels of the codec that interpret pipelines on emulated devices: library
// fpsynth_codec_kernels.

#include "runners/codec/gpu/content_hash.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "runners/codec/gpu/kernels.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "tests/support/kernels/kernel.hpp"

namespace fpsynth::device {

using DoublesProgram = codec::InterpretedProgram<std::uint64_t>;
using SinglesProgram = codec::InterpretedProgram<std::uint32_t>;
using HalvesProgram = codec::InterpretedProgram<std::uint16_t>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::EncodeKernel<DoublesProgram, SharedBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::EncodeKernel<SinglesProgram, SharedBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::EncodeKernel<HalvesProgram, SharedBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::DecodeKernel<DoublesProgram, SharedBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::DecodeKernel<SinglesProgram, SharedBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::DecodeKernel<HalvesProgram, SharedBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::EncodeKernel<DoublesProgram, EqualBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::EncodeKernel<SinglesProgram, EqualBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::EncodeKernel<HalvesProgram, EqualBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::DecodeKernel<DoublesProgram, EqualBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::DecodeKernel<SinglesProgram, EqualBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::DecodeKernel<HalvesProgram, EqualBlocks>>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::HeaderKernel>;
FPSYNTH_SHARED_KERNEL EmulatedKernel<codec::HashKernel>;

}  // namespace fpsynth::device
