#pragma once
// The job of a cluster. All ranks know it before they start, from the same command line.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runners/data/input.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/search.hpp"
#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cluster {

/// A data set in one precision.
struct Task {
  std::string name;
  /// Opens the data as they are stored. Called by any thread.
  std::function<data::Input()> open;
  synth::Precision precision = synth::Precision::Double;
  std::uint64_t words = 0;  ///< whole ones, in that precision: at least one
  std::string xxh3 = {};    ///< of the data that are expected; of any if it is empty

  /// The error to throw if they change during the work.
  Error changed() const;
};

struct Job {
  /// Names the study and its options. Ranks that were started with another one are refused.
  std::string identity;
  std::vector<Task> tasks;
  const synth::Plan* plan = nullptr;
  search::PreludeOptions preludes;
  /// The engine, threads, stages, verification, sample and checkpoint_seconds; the rest is not
  /// used.
  search::SearchOptions options;

  /// Number of a task's chunks, after sampling.
  std::uint64_t chunks(std::size_t task) const {
    const std::uint64_t words = plan->space().chunk_words;
    const std::uint64_t all = (tasks[task].words + words - 1) / words;
    return (all + options.sample - 1) / options.sample;
  }
};

}  // namespace fpsynth::cluster
