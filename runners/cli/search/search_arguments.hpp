#pragma once
// The options of `fpsynth search`, and what they mean for a study.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runners/cli/commands.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/shards.hpp"
#include "runners/data/study.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/race/race.hpp"
#include "synth/space.hpp"

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

/// As --hdf5-chunk: those that the file has.
inline constexpr std::string_view kChunksOfFile = "file";

void add_options(Command command, SearchArguments& arguments);

/// The study that is to be searched. Throws UsageError, also for options that do not go together.
data::Study study_of_search(const SearchArguments& arguments);
/// The shard that is to be searched, if not all. Throws UsageError.
std::optional<cluster::Shard> shard_of(const SearchArguments& arguments, const data::Study& study);
/// The directory of the results: that of a shard is one of several in the same directory.
std::filesystem::path directory_of(const SearchArguments& arguments, const data::Study& study,
                                   const std::optional<cluster::Shard>& shard);
/// The space of the study, or the paper's, with as many stages as are asked for.
synth::Space space_of(const SearchArguments& arguments, const data::Study& study);
/// The engine for the chosen GPUs, or those of them that are for this rank, or the CPU.
search::EngineFactory engine_of(const SearchArguments& arguments);
/// Which preludes are to be tried. Throws UsageError if one does not suit the study's precisions.
synth::PreludeRequest request_of(const SearchArguments& arguments, const data::Study& study);

}  // namespace fpsynth::cli
