#pragma once
// `fpsynth compress auto`: the method is chosen for the input.

#include <cstddef>
#include <cstdint>

#include "runners/cli/arguments.hpp"
#include "runners/codec/streams.hpp"
#include "runners/search/engine.hpp"
#include "synth/common/precision.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {

/// What a user types instead of a pipeline.
inline constexpr const char* kAuto = "auto";

struct AutoOptions {
  std::uint64_t chunks = 32, candidates = 8, preludes = 32;  ///< as in search::ChoiceOptions
  bool no_preludes = false;
  std::size_t chunk_words = synth::kChunkWords;  ///< of the space
};
void add_auto(Command command, AutoOptions& options);

/// The method that search::choose() finds, with pipelines of the paper's space, for an input of
/// words of `precision`. Shows progress, then prints on standard error which it is and by how much
/// it beats the next one, with `verbose` all candidates. For an input without a whole word, any
/// pipeline. `threads` as in search::ChoiceOptions. Throws what choose() throws.
synth::Method auto_method(const codec::Input& input, synth::Precision precision,
                          const search::EngineFactory& engine, int threads,
                          const AutoOptions& options, bool verbose);

}  // namespace fpsynth::cli
