#pragma once
// `fpsynth compress auto`: the pipeline is chosen for the input.

#include <cstdint>

#include "runners/cli/arguments.hpp"
#include "runners/codec/streams.hpp"
#include "runners/search/engine.hpp"
#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::cli {

/// What a user types instead of a pipeline.
inline constexpr const char* kAuto = "auto";

struct AutoOptions {
  std::uint64_t chunks = 32, candidates = 8;     ///< as in search::ChoiceOptions
  std::size_t chunk_words = synth::kChunkWords;  ///< of the space
};
void add_auto(Command command, AutoOptions& options);

/// The pipeline of the paper's space that search::choose() finds for an input of words of
/// `precision`. Shows progress, then prints on standard error which it is and by how much it beats
/// the next one, with `verbose` all candidates. For an input without a whole word, any pipeline.
/// `threads` as in search::ChoiceOptions. Throws what choose() throws.
synth::Pipeline auto_pipeline(const codec::Input& input, synth::Precision precision,
                              const search::EngineFactory& engine, int threads,
                              const AutoOptions& options, bool verbose);

}  // namespace fpsynth::cli
