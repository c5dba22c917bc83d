#pragma once
// The host's view of a program whose kernels were compiled apart: its numbers, without its stages.

#include <cstdint>

#include "runners/codec/gpu/kernels.hpp"
#include "runners/codec/gpu/program_of.hpp"
#include "runners/codec/gpu/static_program.hpp"

namespace fpsynth::codec {

/// Kernels take it for the StaticProgram of a components::StaticPipeline on words of type W: only
/// the numbers are passed.
template <class W>
struct LoadedProgram : StaticProgramSizes {
  using Word = W;
};

template <class W>
LoadedProgram<W> loaded_program(const synth::Pipeline& pipeline) {
  const InterpretedProgram<W> list = interpreted_program<W>(pipeline, synth::kChunkWords);
  return {{list.chunk_words, list.frame_bytes, list.worst_block, {{}, list.blocks.spilled}}};
}

}  // namespace fpsynth::codec
