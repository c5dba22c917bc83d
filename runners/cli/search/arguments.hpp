#pragma once
// The options of `fpsynth search`.

#include <cstdint>
#include <optional>
#include <string>

#include "runners/cli/studies.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/race/race.hpp"

namespace fpsynth::cli {

/// The options of a race, as they are given.
struct RaceArguments {
  std::string strategy = "exhaustive";
  std::optional<double> margin, risk;
  std::optional<std::uint64_t> seed, first_chunks;

  bool race() const { return strategy == "race"; }
  /// Throws UsageError for options without a race, and for values that none can have.
  search::RaceOptions options() const;
};

struct SearchArguments : StudyArguments {
  std::string space, verify, out, backend = "auto", device = "all";
  std::optional<std::string> shard, preludes, hdf5_chunk;
  search::PreludeOptions prelude_options;
  std::optional<unsigned> stages;
  std::optional<std::uint64_t> shards;
  RaceArguments race;
  int threads = 0;
  double checkpoint_seconds = 60;
  std::uint64_t sample = 1;
  bool resume = false, dry_run = false, json = false, no_merge = false, skip_missing = false;
};

/// Searches, or prints what a search would take. Chooses the threads if they are 0. Called by the
/// command. Throws Error.
void run_search(SearchArguments& arguments);

}  // namespace fpsynth::cli
