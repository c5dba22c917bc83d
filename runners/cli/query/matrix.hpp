#pragma once
// The choice of search results for queries, and `fpsynth query matrix`.

#include <optional>
#include <string>

#include "results/documents/runs.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// Which search results of a directory; those that are not given choose all.
struct QueryChoice {
  std::string directory = "results/runs";
  std::optional<std::string> data_set, precision;
};

/// Adds the options --runs, --dataset and --precision.
void add_query_choice(Command command, QueryChoice& choice);

/// The chosen results. Throws Error if the directory has none or one is damaged, UsageError if none
/// is chosen.
results::Runs load(const QueryChoice& choice);

/// Adds `matrix` to the command `query`.
void add_matrix(Command query);

}  // namespace fpsynth::cli
