#pragma once
// A program whose stages are compiled into the kernels.

#include <cstddef>
#include <cstdint>

#include "components/static_pipeline.hpp"
#include "components/teams/block.hpp"
#include "runners/codec/format/static_container.hpp"
#include "runners/codec/gpu/program.hpp"

namespace fpsynth::codec {

/// The sizes of such a program, for the host.
struct StaticProgramSizes {
  /// memory_of(), below, tells the compiler more than SharedBlocks could.
  using Fitting = device::EqualBlocks;
  /// Without a limit the compiler uses up to 106 registers, which allows two thread blocks. With
  /// the 64 registers that four thread blocks leave, it does not spill either (sm_90).
  static constexpr std::uint32_t kBlocksPerMultiprocessor = 4;

  std::uint32_t chunk_words, frame_bytes, worst_block;
  device::EqualBlocks blocks;

  /// True if blocks are in shared memory on every device, which is so if they fit into the 48 KiB
  /// of shared memory that every device has for a thread block. The kernels then contain no code
  /// for spilled blocks.
  FPSYNTH_INLINE static constexpr bool only_shared(device::BlockArea longest) {
    return area_bytes(longest, 256) + sizeof(CurrentChunk) + components::kBlockAlignment <=
           48 << 10;
  }
  bool only_shared() const { return only_shared(blocks.spilled); }

  std::uint32_t preferred_block_bytes() const { return blocks.spilled.bytes; }
  static std::uint32_t fewer_block_bytes(std::uint32_t) { return 0; }
};

/// The program of a components::StaticPipeline. All its blocks are in shared memory, or, if they do
/// not fit there, all in device memory.
template <class Pipeline>
struct StaticProgram : StaticProgramSizes {
  using Word = typename Pipeline::Word;
  using Container = StaticContainer<Pipeline>;
  using Memory = ProgramMemory<device::EqualBlocks>;
  using Extents = typename Container::Extents;
  using LastWord = typename Container::LastWord;

  static constexpr device::BlockArea kArea =
      area_for(Pipeline::kLongest, sizeof(LastWord), Pipeline::kHasTables);

  FPSYNTH_INLINE constexpr StaticProgram()
      : StaticProgramSizes{
            Pipeline::kChunkWords, Container::kFrameBytes, Pipeline::kWorst, {{}, kArea}} {}

  FPSYNTH_INLINE std::byte* input(const Memory& memory, std::uint32_t) const {
    return Pipeline::input_block(blocks_of(memory));
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE EncodedBlock encode(Hardware hardware, const Memory& memory, const std::byte* in,
                                     std::uint32_t words, std::byte* frame) const {
    teams::BlockTeam<Hardware> team(hardware, memory_of(memory).team(kArea.bytes));
    std::byte* const out = Pipeline::output_block(blocks_of(memory));
    Extents extents;
    Pipeline::encode(team, in, words, out, extents, blocks_of(memory));
    if (hardware.lane() == 0) Container::write_frame(extents, frame);
    return {out, std::uint32_t(Container::block_bytes(extents))};
  }

  FPSYNTH_INLINE std::uint32_t read_frame(const std::byte* frame, std::uint32_t words,
                                          components::Extent* extents) const {
    return Container::read_frame(frame, words, extents);
  }
  FPSYNTH_INLINE std::uint32_t length(const components::Extent* extents) const {
    return std::uint32_t(Container::block_bytes(extents));
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE const std::byte* decode(Hardware hardware, const Memory& memory,
                                         const std::byte* in, const components::Extent* extents,
                                         std::uint32_t words) const {
    teams::BlockTeam<Hardware> team(hardware, memory_of(memory).team(kArea.bytes));
    Extents own;
    for (std::size_t i = 0; i < Pipeline::kStages; ++i) own[i] = extents[i];
    std::byte* const out = Pipeline::output_block(blocks_of(memory));
    return Pipeline::decode(team, in, own, out, words, blocks_of(memory)) ? out : nullptr;
  }

 private:
  /// The memory, in a form that lets the compiler see which of the two it is.
  FPSYNTH_INLINE static Memory memory_of(const Memory& memory) {
    return only_shared(kArea) ? Memory{{memory.shared, nullptr, {kArea, {}}}} : memory;
  }
  FPSYNTH_INLINE static typename Pipeline::Memory blocks_of(const Memory& memory) {
    const Memory in = memory_of(memory);
    return {in.block(0, kArea.bytes), in.block(1, kArea.bytes), in.scratch(kArea.bytes)};
  }
};

}  // namespace fpsynth::codec
