#pragma once
// A program of kernels, the stages of a pipeline, that is compiled in.

#include <cstddef>
#include <cstdint>

#include "components/static_pipeline.hpp"
#include "components/teams/block.hpp"
#include "runners/codec/format/static_container.hpp"
#include "runners/codec/gpu/memory.hpp"
#include "runners/codec/gpu/program.hpp"

namespace fpsynth::codec {

/// What the host knows of a program that is compiled in.
struct StaticProgramSizes {
  /// The compiler takes up to 106 registers if it may, which leaves room for two blocks, and makes
  /// do with the 64 that four of them leave, without spilling (sm_90).
  static constexpr std::uint32_t kBlocksPerMultiprocessor = 4;

  std::uint32_t chunk_words, frame_bytes, worst_block;
  device::EqualBlocks blocks;

  /// Whether blocks are in shared memory on every device: where all of it fits into the 48 KiB that
  /// each of them has for a thread block. The kernels then have no code for another place.
  FPSYNTH_INLINE static constexpr bool only_shared(device::BlockArea longest) {
    return area_bytes(longest, 256) + sizeof(CurrentChunk) + components::kBlockAlignment <=
           48 << 10;
  }
  bool only_shared() const { return only_shared(blocks.spilled); }

  std::uint32_t room_asked() const { return blocks.spilled.bytes; }
  static std::uint32_t less_room(std::uint32_t) { return 0; }
};

/// A components::StaticPipeline. All of its blocks are in shared memory, or, where they are too
/// long for that on a device, all in device memory.
template <class Pipeline>
struct StaticProgram : StaticProgramSizes {
  using Word = typename Pipeline::Word;
  using Container = StaticContainer<Pipeline>;
  using Extents = typename Container::Extents;
  using LastWord = typename Container::LastWord;

  static constexpr device::BlockArea kArea = area_for(Pipeline::kLongest, sizeof(LastWord));

  FPSYNTH_INLINE constexpr StaticProgram()
      : StaticProgramSizes{
            Pipeline::kChunkWords, Container::kFrameBytes, Pipeline::kWorst, {{}, kArea}} {}

  FPSYNTH_INLINE std::byte* input(const ProgramMemory& memory, std::uint32_t) const {
    return Pipeline::input_block(blocks_of(memory));
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE Made encode(Hardware hardware, const ProgramMemory& memory, const std::byte* in,
                             std::uint32_t words, std::byte* frame) const {
    teams::BlockTeam<Hardware> team(hardware, here(memory).team(kArea.bytes));
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

  FPSYNTH_INLINE std::byte* output(const ProgramMemory& memory, std::uint32_t bytes) const {
    return input(memory, bytes);
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE const std::byte* decode(Hardware hardware, const ProgramMemory& memory,
                                         const std::byte* in, const components::Extent* extents,
                                         std::uint32_t words) const {
    teams::BlockTeam<Hardware> team(hardware, here(memory).team(kArea.bytes));
    Extents own;
    for (std::size_t i = 0; i < Pipeline::kStages; ++i) own[i] = extents[i];
    std::byte* const out = Pipeline::output_block(blocks_of(memory));
    return Pipeline::decode(team, in, own, out, words, blocks_of(memory)) ? out : nullptr;
  }

 private:
  /// The memory, such that the compiler sees which of the two it is.
  FPSYNTH_INLINE static ProgramMemory here(const ProgramMemory& memory) {
    return only_shared(kArea) ? ProgramMemory{{memory.shared, nullptr, {kArea, {}}}} : memory;
  }
  FPSYNTH_INLINE static typename Pipeline::Memory blocks_of(const ProgramMemory& memory) {
    const ProgramMemory in = here(memory);
    return {in.block(0, kArea.bytes), in.block(1, kArea.bytes), in.scratch(kArea.bytes)};
  }
};

}  // namespace fpsynth::codec
