#pragma once
// The results that queries are asked of, and the queries that have files of their own.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// The choice of search results of a directory; parts that are not given choose all.
struct QueryChoice {
  std::string directory = "results/runs";
  std::optional<std::string> data_set, precision;
};

/// Adds the options --runs, --dataset and --precision.
void add_query_choice(Command command, QueryChoice& choice);

/// The chosen results. Throws Error if the directory has none or one is damaged, UsageError if none
/// is chosen.
results::Runs load(const QueryChoice& choice);

/// The choice of throughput documents of a directory; empty texts choose all.
struct TimedChoice {
  std::string directory = "results/runs";
  std::string data_set, precision, backend;
};

/// Adds DATASET and the options --runs, --precision and --backend.
void add_timed_choice(Command command, TimedChoice& choice);

/// The chosen documents, by name. Throws Error if the directory has none or one is damaged,
/// UsageError if none is chosen.
std::vector<results::ThroughputDocument> load_timed(const TimedChoice& choice);

/// The documents of `fpsynth compare` to read: those named, and compare*.json in the directory.
std::vector<std::filesystem::path> comparison_files(const std::string& directory,
                                                    const std::vector<std::string>& named);

/// Add `matrix`, `pareto` and `timed` to the command `query`.
void add_matrix(Command query);
void add_pareto(Command query);
void add_timed(Command query);

}  // namespace fpsynth::cli
