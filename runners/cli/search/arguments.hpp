#pragma once
// The options of `fpsynth search`, and what it does with them.

#include <cstdint>
#include <optional>
#include <string>

#include "runners/cli/search/race.hpp"
#include "runners/cli/studies.hpp"
#include "runners/search/prelude_search.hpp"

namespace fpsynth::cli {

struct SearchArguments : StudyArguments {
  std::string space, verify, out, backend = "auto", device = "all";
  std::optional<std::string> shard, preludes;
  search::PreludeOptions prelude_options;
  std::optional<unsigned> nodes, gpus, stages;
  RaceArguments race;
  int threads = 0;
  double checkpoint_seconds = 60;
  std::uint64_t sample = 1;
  bool resume = false, dry_run = false, json = false, no_merge = false, skip_missing = false;
};

/// Searches, or tells what a search would be. Chooses the threads if they are 0. Throws Error.
void run_search(SearchArguments& arguments);

}  // namespace fpsynth::cli
