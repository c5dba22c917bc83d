#pragma once
// One document of a study from start to end: alone, in a shard or by ranks, exhaustive or raced.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/study.hpp"
#include "runners/cluster/ranks.hpp"
#include "runners/data/study.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/race/race.hpp"
#include "runners/study/report.hpp"
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
  bool json = false;  ///< prints a JSON object for each document in place of a row

  bool leads() const { return !ranks || ranks->rank() == 0; }
};

/// The end of a study that was searched.
struct StudyEnd {
  bool complete = true;        ///< false if `stop` was set; the directory then holds what there is
  std::uint64_t failures = 0;  ///< checks that failed
};

/// Searches the planned documents one after the other, those of a shard on its share of the chunks,
/// and prints a row for each. Throws Error, and Interrupted where other shards of a race must go on
/// first.
StudyEnd run_study(const StudyRun& run, const std::vector<results::PlannedDocument>& planned,
                   const std::optional<cluster::Shard>& shard);

/// Throws Error, on all ranks, if one was started for another study than rank 0, or with other
/// options. Called by all ranks.
void refuse_other_work(cluster::Ranks& ranks, const results::StudyIdentity& identity,
                       const std::vector<results::PlannedDocument>& planned);

/// The files of one document: itself, and beside it the state of a race that was stopped. Ranks
/// other than 0 have none, and write none.
class DocumentFiles {
 public:
  DocumentFiles(const StudyRun& run, const std::string& data_set, synth::Precision precision);

  /// The document of an earlier search, if there is one. Throws Error if there is one and the
  /// search is not to be resumed, or if a race would continue an exhaustive search.
  std::optional<results::Document> earlier() const;
  /// The state that an earlier race left; empty without one. Throws Error likewise.
  std::vector<std::uint8_t> earlier_race() const;
  /// Writes the document: at every checkpoint, and at its end.
  void save(const results::Document& document) const;
  /// Writes the state of a race: at every checkpoint, and when it is stopped.
  void save_race(const std::vector<std::uint8_t>& state) const;
  /// Removes that state, when all survivors are searched.
  void remove_race() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  /// True if there is a file to continue from.
  bool has(const std::filesystem::path& file) const;

  std::filesystem::path path_, race_path_;
  bool resume_, raced_, leads_;
};

/// One document that is raced, or searched alone, with its line of progress.
class DocumentRun {
 public:
  /// `before` and `after`: what the progress line says around the name.
  DocumentRun(const StudyRun& run, const std::string& data_set, synth::Precision precision,
              const std::string& before, const std::string& after = {});

  const DocumentFiles& files() const { return files_; }
  /// "DATA_SET PRECISION".
  const std::string& name() const { return name_; }
  /// The name as the progress line has it.
  const std::string& label() const { return label_; }

  /// Races and searches the document, on all chunks or on a shard's share of them, writes it and
  /// prints its row. Returns the end; one that is not complete was stopped.
  StudyEnd run(const data::Input& input, const std::optional<ShardShare>& share,
               std::size_t name_width);

 private:
  /// The options of the study's race and preludes, with this document's progress.
  search::RaceOptions race_options();
  search::PreludeOptions prelude_options() const;
  /// Races from the state that an earlier race left.
  search::Raced race(const data::Input& input, const std::optional<ShardShare>& share,
                     const std::optional<results::Document>& done);
  /// The document or the state of an earlier race that rank 0 has, on all ranks; `done` is here
  /// that of rank 0. One or both are empty.
  std::pair<std::optional<results::Document>, std::vector<std::uint8_t>> earlier_of_ranks(
      const data::Input& input, const std::optional<results::Document>& done) const;
  /// Clears the progress line and says how a race has ended.
  void print_race(const search::Raced& raced) const;

  const StudyRun& run_;
  std::string name_, label_;
  DocumentFiles files_;
  ProgressLine line_;
};

/// The race that made a document of survivors, as it ended.
search::Raced raced_of(const results::Document& document);

}  // namespace fpsynth::study
