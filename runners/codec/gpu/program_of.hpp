#pragma once
// From a pipeline to the program that a device runs: host code.

#include <algorithm>

#include "runners/codec/format/container.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"

namespace fpsynth::codec {

/// A program for a pipeline that the container can hold, on chunks of `chunk_words` words of type
/// W. Who knows the device sets blocks.shared.
template <class W>
InterpretedProgram<W> interpreted_program(const synth::Pipeline& pipeline,
                                          std::size_t chunk_words) {
  InterpretedProgram<W> program{};
  program.chunk_words = static_cast<std::uint32_t>(chunk_words);
  program.frame_bytes =
      static_cast<std::uint32_t>(synth::frame_bytes(pipeline, sizeof(W), chunk_words));
  program.wide = synth::wide_frames(pipeline, sizeof(W), chunk_words);
  std::size_t longest = chunk_words * sizeof(W);
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const synth::Component component = pipeline.stages[i];
    const auto& family = synth::family(component.family);
    longest = std::max(longest, synth::worst_case_bytes(pipeline, sizeof(W), chunk_words, i));
    if (family.identity) continue;
    program.steps[program.count++] = {component.family, component.parameter,
                                      static_cast<std::uint8_t>(i >= pipeline.cut),
                                      family.frame_fields};
  }
  program.worst_block = static_cast<std::uint32_t>(
      synth::worst_case_bytes(pipeline, sizeof(W), chunk_words, pipeline.stages.size() - 1));
  program.blocks.spilled = area_for(longest, pipeline.cut < pipeline.stages.size() ? 1 : sizeof(W));
  return program;
}

/// f(program) with the program that runs a format's pipeline.
template <class F>
auto with_program(const Header& format, F f) {
  return format.word_bytes == 8
             ? f(interpreted_program<std::uint64_t>(format.pipeline, format.chunk_words))
             : f(interpreted_program<std::uint32_t>(format.pipeline, format.chunk_words));
}

}  // namespace fpsynth::codec
