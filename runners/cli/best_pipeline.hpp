#pragma once
// The winner of an earlier search, for commands that use it (--best DATASET --runs DIR).

#include <optional>
#include <string>

#include "runners/cli/arguments.hpp"
#include "synth/common/precision.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {

/// The options --best and --runs.
struct BestOption {
  std::optional<std::string> best;  ///< a data set
  std::optional<std::string> runs;  ///< the directory of a study's results

  /// Throws UsageError unless exactly one of a pipeline and --best is given; `doing` is "generate".
  void check(const std::string& pipeline, const std::string& doing) const;
};
void add_best(Command command, BestOption& option);
/// --chunk-words, for commands that have --best.
void add_chunk_words(Command command, std::optional<std::string>& option);

struct BestPipeline {
  synth::Method method;
  synth::Precision precision = synth::Precision::Double;  ///< that was searched
  double ratio = 0;                                       ///< that the search found
  std::string origin;                                     ///< a sentence on what it found
  std::size_t chunk_words = synth::kChunkWords;           ///< that the search ran on
};

/// The first method of the ranking for the data set that the option names, which must have been
/// given. `precision` may be left out if the set was searched in one only. Throws UsageError if
/// there is no such set, and Error if the directory has no results or none of the set yet.
BestPipeline best_pipeline(const BestOption& option, std::optional<synth::Precision> precision);

}  // namespace fpsynth::cli
