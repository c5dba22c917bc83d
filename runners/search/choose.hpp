#pragma once
// The choice of a pipeline for one input that is to be compressed: a search on a sample of its
// chunks, then the best of them on all of it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/data/input.hpp"
#include "runners/search/engine.hpp"
#include "synth/pipeline.hpp"
#include "synth/space.hpp"

namespace fpsynth::search {

struct ChoiceProgress {
  enum class Step {
    Searching,  ///< all pipelines on the sample
    Measuring,  ///< the candidates on the whole input
    Verifying,  ///< the winner, compressed and decompressed
  };
  Step step = Step::Searching;
  double share = 0;  ///< of the step, 0 to 1
};

struct ChoiceOptions {
  /// Creates the engine that walks the sample; null: the CPU's, with `threads` and `stages`.
  EngineFactory engine;
  int threads = 0;  ///< 0: as many as OpenMP has
  /// Chunks of the sample at most, at equal distances.
  std::uint64_t chunks = 32;
  /// Pipelines that are tried on the whole input, at least 1.
  std::uint64_t candidates = 8;
  /// The stages that the processor runs; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Called now and then by the calling thread.
  std::function<void(const ChoiceProgress&)> progress;
};

struct Candidate {
  synth::Pipeline pipeline;
  std::uint64_t bytes = 0;  ///< of the container that codec::compress() makes of the whole input
};

struct Choice {
  /// The smallest container first, then in the order of the sample's ranking. The first one's
  /// chunks have been decoded and compared with the input, all of them. Not empty.
  std::vector<Candidate> candidates;
  std::uint64_t pipelines = 0;  ///< searched, all that the space has
  std::uint64_t chunks_searched = 0, chunks_total = 0;
};

/// Chooses from all pipelines of a space the one to compress `input` with. Candidates that equal
/// one another by their construction (by NUL) are tried once. The memory used does not grow with
/// the input. Throws Error if the input has no whole word, if it changes meanwhile, and if no
/// candidate restores it.
Choice choose(const data::Input& input, const synth::Space& space, const ChoiceOptions& options);

}  // namespace fpsynth::search
