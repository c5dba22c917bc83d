#pragma once
// The choice of throughput documents for queries, and `fpsynth query timed`.

#include <filesystem>
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

/// Adds DATASET and the options --runs, --precision and --backend.
void add_timed_choice(Command command, TimedChoice& choice);

/// The chosen documents, by name. Throws Error if the directory has none or one is damaged,
/// UsageError if none is chosen.
std::vector<results::ThroughputDocument> load_timed(const TimedChoice& choice);

/// The documents of `fpsynth compare` to read: those named, and compare*.json in the directory.
std::vector<std::filesystem::path> comparison_files(const std::string& directory,
                                                    const std::vector<std::string>& named);

/// Adds `timed` to the command `query`.
void add_timed(Command query);

}  // namespace fpsynth::cli
