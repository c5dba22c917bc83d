#pragma once
// Throughput documents that a query is about, and `fpsynth query timed`.

#include <string>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// Which documents of a directory; empty texts choose all.
struct TimedChoice {
  std::string directory = "results/runs";
  std::string data_set, precision, backend;
};

/// The options --runs, --precision and --backend, and DATASET.
void add_timed_choice(Command command, TimedChoice& choice);

/// The chosen documents, by name. Throws Error where the directory has none or one is damaged,
/// UsageError where none is chosen.
std::vector<results::ThroughputDocument> load_timed(const TimedChoice& choice);

/// Adds `timed` to the command `query`.
void add_timed(Command query);

}  // namespace fpsynth::cli
