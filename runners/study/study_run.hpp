#pragma once
// The documents of a study, one after the other: alone, in a shard or by ranks, exhaustive or
// raced.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/study.hpp"
#include "runners/cluster/ranks.hpp"
#include "runners/data/study.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/race/race.hpp"
#include "runners/study/terminal.hpp"
#include "synth/plan.hpp"
#include "synth/space.hpp"

namespace fpsynth::study {

/// A search of all documents of a study, as the command line wants it.
struct StudyRun {
  const data::Study& study;
  const synth::Space& space;
  /// Of the space. Null for a race, whose space is too large for one.
  const synth::Plan* plan = nullptr;
  const search::RaceOptions& race;
  const search::PreludeOptions& preludes;
  /// The ranks that search together, each of which runs the study. Rank 0 alone reads and writes
  /// files, prints, and gets the end. Null: this process alone.
  cluster::Ranks* ranks = nullptr;
  /// The engine, threads, verification, sample, checkpoint_seconds, `stop`, and `ranks` as peers.
  search::SearchOptions options;
  /// Where the documents are. It exists, and this process, or rank 0, has locked it.
  const std::filesystem::path& directory;
  bool resume = false;
  bool json = false;      ///< prints a JSON object for each document in place of a row
  bool promises = false;  ///< find out what preludes promise

  bool leads() const { return !ranks || ranks->rank() == 0; }
};

/// The end of a study that was searched.
struct StudyEnd {
  bool complete = true;        ///< false if `stop` was set; the directory then holds what there is
  std::uint64_t failures = 0;  ///< checks that failed
  /// Of the documents, if they were asked for, the most and how many there are.
  Promise promise = {};
  std::uint64_t promises = 0;
};

/// Throws Error if a directory has one of the planned documents, or the state of its race: a search
/// that is not to continue.
void refuse_earlier(const std::filesystem::path& directory,
                    const std::vector<results::PlannedDocument>& planned);

/// Searches the planned documents one after the other, those of a shard on its share of the chunks,
/// and prints a row for each. Throws Error.
StudyEnd run_study(const StudyRun& run, const std::vector<results::PlannedDocument>& planned,
                   const std::optional<cluster::Shard>& shard);

/// Throws Error, on all ranks, if one was started for another study than rank 0, or with other
/// options. Called by all ranks.
void refuse_other_work(cluster::Ranks& ranks, const results::StudyIdentity& identity,
                       const std::vector<results::PlannedDocument>& planned);

}  // namespace fpsynth::study
