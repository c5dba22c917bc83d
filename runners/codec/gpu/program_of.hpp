#pragma once
// From a pipeline to the program that a device runs: host code.

#include "runners/codec/format/container.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "runners/codec/gpu/static_program.hpp"

namespace fpsynth::codec {

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

/// Calls f(program) with the program that runs a format's pipeline.
template <class F>
auto with_program(const Header& format, F f) {
  return format.word_bytes == 8
             ? f(interpreted_program<std::uint64_t>(format.pipeline, format.chunk_words))
             : f(interpreted_program<std::uint32_t>(format.pipeline, format.chunk_words));
}

}  // namespace fpsynth::codec
