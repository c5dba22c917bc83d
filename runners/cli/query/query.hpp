#pragma once
// The results that queries are asked of, and the queries that have files of their own.

#include <filesystem>
#include <string>
#include <vector>

#include "results/documents/runs.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/studies.hpp"

namespace fpsynth::cli {

/// The choice of search results of a directory; empty texts choose all.
struct QueryChoice {
  std::string directory = kDefaultRuns;
  std::string data_set, precision;
};

/// Adds the options --runs and --precision, and that of `names` for the data set. `what` says what
/// the directory holds.
void add_query_choice(Command command, QueryChoice& choice, const std::string& names = "--dataset",
                      const std::string& what = "Directory of the result documents");

/// The chosen results, of directory_of_runs(). Throws Error if it has none or one is
/// damaged, UsageError if none is chosen.
results::Runs load(QueryChoice& choice);

/// The documents of `fpsynth compare` to read: those named, and compare*.json in the directory; and
/// the option --compared, which names them.
std::vector<std::filesystem::path> comparison_files(const std::string& directory,
                                                    const std::vector<std::string>& named);
void add_compared(Command command, std::vector<std::string>& named, const char* what);

/// Add `cards`, `claims` with `scorecard`, `peers`, `pareto` and `timed` to the command `query`.
void add_cards(Command query);
void add_claims(Command query);
void add_peers(Command query);
void add_pareto(Command query);
void add_timed(Command query);

}  // namespace fpsynth::cli
