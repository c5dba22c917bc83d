#pragma once
// Races that the ranks of a cluster share.

#include <atomic>
#include <filesystem>

#include "results/documents/study.hpp"
#include "runners/cli/search/ranks.hpp"
#include "runners/cluster/transport.hpp"
#include "runners/data/study.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/race/race.hpp"
#include "runners/search/search.hpp"
#include "synth/space.hpp"

namespace fpsynth::cli {

struct RankedRace {
  const data::Study& study;
  const synth::Space& space;
  const search::RaceOptions& race;
  const results::StudyIdentity& identity;
  const search::PreludeOptions& preludes;
  const search::SearchOptions& options;  ///< engine, threads, verification and sample
  const std::filesystem::path& directory;
  const std::filesystem::path& speed_model;  ///< directory of throughput documents
  bool resume, json;
  const std::atomic<bool>& stop;
};

/// Races each document of the study on all ranks, each of which calls this, and searches the
/// survivors as search_on_ranks() does. Rank 0 reads and writes the documents and the states of
/// races that were stopped; it alone gets the result. Throws Error likewise.
RankedSearch race_on_ranks(cluster::Transport& transport, const RankedRace& race);

}  // namespace fpsynth::cli
