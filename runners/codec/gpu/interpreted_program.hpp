#pragma once
// A program for a device that reads its stages from a list.

#include <cstddef>
#include <cstdint>

#include "components/dispatch.hpp"
#include "components/stage_list.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/layout.hpp"
#include "runners/codec/gpu/program.hpp"
#include "runners/codec/gpu/static_program.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// A stage as a device reads it, on data of words of type W. The Step's `tag` holds the number of
/// its frame fields.
template <class W>
struct StepStage {
  components::Step step;

  FPSYNTH_INLINE std::uint8_t wire() const {
    return components::with_family<std::uint8_t>(step.family,
                                                 []<class Family>() { return Family::wire; });
  }
  FPSYNTH_INLINE std::uint8_t parameter() const { return step.parameter; }
  FPSYNTH_INLINE std::size_t word_bytes() const { return step.on_bytes ? 1 : sizeof(W); }
  FPSYNTH_INLINE unsigned frame_fields() const { return step.tag; }
  FPSYNTH_INLINE std::uint32_t bound(std::uint32_t words) const {
    return components::with_family<std::uint32_t>(step.family, [*this, words]<class Family>() {
      return std::uint32_t(step.on_bytes ? Family::template bound<std::uint8_t>(words)
                                         : Family::template bound<W>(words));
    });
  }
};

/// Steps as a components::StageList.
template <class W>
struct StepStages {
  /// A device's blocks are shorter than 4 GiB.
  using Length = std::uint32_t;

  const components::Step* steps;
  std::uint32_t count;

  FPSYNTH_INLINE std::size_t size() const { return count; }
  FPSYNTH_INLINE std::size_t cut() const {
    std::size_t on_words = 0;
    while (on_words < count && !steps[on_words].on_bytes) ++on_words;
    return on_words;
  }
  FPSYNTH_INLINE static constexpr std::size_t word_bytes() { return sizeof(W); }

  template <class F>
  FPSYNTH_INLINE bool for_each(F f) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!f(std::size_t{i}, StepStage<W>{steps[i]})) return false;
    }
    return true;
  }
};

/// Any pipeline on words of type W: all its stages except NUL.
template <class W>
struct InterpretedProgram {
  using Word = W;
  using Fitting = device::SharedBlocks;
  /// Without a limit, its kernels would take registers for two blocks. With the 80 a lane of three,
  /// ptxas 13.0 stores 36 to 52 bytes a lane in local memory, in all stages together, with
  /// SharedBlocks, and 104 to 176 with EqualBlocks. Shared memory allows more thread blocks.
  static constexpr std::uint32_t kBlocksPerMultiprocessor = 3;

  components::Step steps[kMostStages];
  std::uint32_t count, chunk_words, frame_bytes, worst_block, wide;
  device::EqualBlocks blocks;

  static constexpr bool only_shared() { return false; }
  std::uint32_t preferred_block_bytes() const {
    // Enough for the output of most stages. More would reduce the occupancy for all of them.
    const std::uint32_t usual = std::uint32_t(sizeof(W)) * chunk_words / 2 * 3;
    return usual < blocks.spilled.bytes ? usual : blocks.spilled.bytes;
  }
  static std::uint32_t fewer_block_bytes(std::uint32_t bytes) { return bytes / 2; }

  template <class Layout>
  FPSYNTH_INLINE std::byte* input(const ProgramMemory<Layout>& memory, std::uint32_t bytes) const {
    return memory.block(0, bytes);
  }

  template <teams::Hardware Hardware, class Layout>
  FPSYNTH_INLINE EncodedBlock encode(Hardware hardware, const ProgramMemory<Layout>& memory,
                                     const std::byte* in, std::uint32_t words,
                                     std::byte* frame) const {
    using Team = teams::BlockTeam<Hardware>;
    using Stages = components::Interpreter<Team, W>;
    std::uint32_t bytes = words * std::uint32_t(sizeof(W));
    for (std::uint32_t i = 0; i < count; ++i) {
      const components::Step step = steps[i];
      const std::uint32_t bound = Stages::bound(step, bytes);
      const std::uint32_t longer = bytes < bound ? bound : bytes;
      std::byte* const out = memory.block(~i & 1, bound);
      Team team(hardware, memory.team(longer));
      const components::Extent extent =
          Stages::encode(team, step, in, bytes, out, memory.scratch(longer));
      if (hardware.lane() == 0) put_extent(StepStage<W>{step}, wide, extent, frame);
      bytes = extent.words * Stages::word_bytes(step);
      in = out;
      hardware.barrier();
    }
    return {in, bytes};
  }

  FPSYNTH_INLINE std::uint32_t read_frame(const std::byte* frame, std::uint32_t words,
                                          components::Extent* extents) const {
    return codec::read_frame(StepStages<W>{steps, count}, wide, frame, words, extents);
  }
  FPSYNTH_INLINE std::uint32_t length(const components::Extent* extents) const {
    return extents[count - 1].words * word_bytes(steps[count - 1]);
  }

  template <teams::Hardware Hardware, class Layout>
  FPSYNTH_INLINE const std::byte* decode(Hardware hardware, const ProgramMemory<Layout>& memory,
                                         const std::byte* in, const components::Extent* extents,
                                         std::uint32_t words) const {
    using Team = teams::BlockTeam<Hardware>;
    using Stages = components::Interpreter<Team, W>;
    std::uint32_t in_bytes = length(extents);
    for (std::uint32_t i = count, side = 1; i-- > 0; side ^= 1) {
      const components::Step step = steps[i];
      const std::uint32_t bytes = i == 0 ? words * std::uint32_t(sizeof(W))
                                         : extents[i - 1].words * word_bytes(steps[i - 1]);
      const std::uint32_t longer = in_bytes < bytes ? bytes : in_bytes;
      std::byte* const out = memory.block(side, bytes);
      Team team(hardware, memory.team(longer));
      const bool good =
          Stages::decode(team, step, in, extents[i], out, bytes, memory.scratch(longer));
      hardware.barrier();
      if (!good) return nullptr;
      in = out;
      in_bytes = bytes;
    }
    return in;
  }

 private:
  using Lengths = components::StepLengths<W>;

  FPSYNTH_INLINE static std::uint32_t word_bytes(components::Step step) {
    return Lengths::word_bytes(step);
  }
};

// From a pipeline to the program that a device runs: host code.

/// A program for a pipeline that the container can hold, on chunks of `chunk_words` words of type
/// W. ChunkLauncher, which knows the device, sets blocks.shared.
template <class W>
InterpretedProgram<W> interpreted_program(const synth::Pipeline& pipeline,
                                          std::size_t chunk_words) {
  const synth::PipelineStages stages(pipeline, sizeof(W));
  InterpretedProgram<W> program{};
  program.chunk_words = static_cast<std::uint32_t>(chunk_words);
  program.frame_bytes = static_cast<std::uint32_t>(components::frame_bytes(stages, chunk_words));
  program.wide = components::wide_frames(stages, chunk_words);
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const synth::Component component = pipeline.stages[i];
    const auto& family = synth::family(component.family);
    if (family.identity) continue;
    program.steps[program.count++] = {component.family, component.parameter,
                                      static_cast<std::uint8_t>(i >= pipeline.cut),
                                      family.frame_fields};
  }
  program.worst_block = static_cast<std::uint32_t>(
      components::worst_case_bytes(stages, chunk_words, stages.size() - 1));
  program.blocks.spilled = area_for(components::longest_block(stages, chunk_words),
                                    pipeline.cut < pipeline.stages.size() ? 1 : sizeof(W),
                                    components::has_tables(stages));
  return program;
}

/// The host's view of a program whose kernels were compiled separately: its sizes, without its
/// stages. Kernels receive it in place of the StaticProgram of a components::StaticPipeline on
/// words of type W, which has the same data members.
template <class W>
struct LoadedProgram : StaticProgramSizes {
  using Word = W;
};

template <class W>
LoadedProgram<W> loaded_program(const synth::Pipeline& pipeline) {
  const InterpretedProgram<W> list = interpreted_program<W>(pipeline, synth::kChunkWords);
  return {{list.chunk_words, list.frame_bytes, list.worst_block, {{}, list.blocks.spilled}}};
}

/// Calls f(program) with the program that runs a format's pipeline. Throws DeviceUnsuitable for
/// bytes.
template <class F>
auto with_program(const Header& format, F f) {
  if (format.word_bytes == 1) {
    throw device::DeviceUnsuitable(
        "a GPU compresses words of 8, 4 and 2 bytes, not bytes; use --backend cpu");
  }
  return components::with_device_word(format.word_bytes, [&]<class W>() {
    return f(interpreted_program<W>(format.pipeline, format.chunk_words));
  });
}

}  // namespace fpsynth::codec
