#pragma once
// Compares races with the exhaustive search of the same data, and with the strategies of others
// that may evaluate as many pipelines as the races did.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/search/strategies/strategies.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// The work of a race, and the pipeline that it found.
struct RaceFinding {
  std::uint64_t seed = 0;
  Evaluated winner;  ///< of the survivors, on all chunks
  /// The bytes that it has more than the best pipeline of all, in percent of these; 0: it is a
  /// best.
  double regret_percent = 0;
  std::uint64_t survivors = 0;  ///< distinct pipelines, searched on all chunks
  /// Sizes of a pipeline on a chunk that it computed, those of the survivors on all chunks
  /// included.
  std::uint64_t chunk_evaluations = 0;
};

/// The result of a strategy with one budget, for each seed; a single one if it draws nothing.
struct StrategyFinding {
  std::string_view key;  ///< of the Strategy
  std::vector<double> regrets_percent;
  std::uint64_t evaluations = 0;  ///< the most that a seed used
  /// Over the seeds; infinity where a strategy found no pipeline that decodes.
  double median_percent() const;
  double worst_percent() const;
};

struct Comparison {
  results::DataSet data;
  std::uint64_t chunks = 0;     ///< that were searched
  std::uint64_t pipelines = 0;  ///< distinct ones
  Evaluated best;               ///< of all of them
  double best_ratio = 0;
  std::string best_pipeline;  ///< without NULs
  std::vector<RaceFinding> races;
  /// Evaluations of a pipeline on all chunks that each strategy may use: those that cost as much as
  /// the races did in the mean, at least 1.
  std::uint64_t budget = 0;
  std::vector<StrategyFinding> strategies;

  /// Chunk-evaluations of the exhaustive search, divided by those of a race in the mean.
  double saved_factor() const;
};

/// The compressed bytes of every distinct pipeline of an exhaustive search, by leaf of its plan;
/// kNotRestored for one that failed to decode. Of a search behind preludes, those of pipelines
/// alone. `plan` is that of the document's space without preludes. Throws Error if it is not, or if
/// the document is raced or not complete, because then some sizes are not known.
std::vector<std::uint64_t> leaf_bytes(const results::Document& document, const synth::Plan& plan);

/// More bytes than the best has, in percent of these.
double regret_percent(std::uint64_t bytes, std::uint64_t best);

/// Holds races and strategies against an exhaustive search. Keeps some 30 bytes for each pipeline
/// of the space.
class StrategyComparison {
 public:
  /// Throws Error for a document that is not of an exhaustive and complete search, or none of whose
  /// pipelines decodes. The document must outlive this.
  explicit StrategyComparison(const results::Document& document);

  /// The finding of a race that left the pipelines of the space `survivors`, which is a list. Their
  /// sizes are known from the document. Throws Error if the race is of another space.
  RaceFinding finding(const results::Race& race, const synth::Space& survivors) const;

  /// All strategies with the budget of the races, of which there is at least one, with seeds
  /// 1..seeds.
  Comparison against(std::vector<RaceFinding> races, std::uint64_t seeds) const;

 private:
  const results::Document& document_;
  synth::Plan plan_;
  std::vector<std::uint64_t> leaf_bytes_;
  Evaluated best_;
};

}  // namespace fpsynth::search
