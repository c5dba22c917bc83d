#pragma once
// The report of a study on the terminal: its progress, a row or a JSON object for each document,
// and where the results are.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "results/documents/document.hpp"
#include "runners/cluster/shards/shard.hpp"
#include "runners/data/study.hpp"
#include "runners/search/race/race.hpp"
#include "runners/search/search.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::study {

/// A shard, its share of a document's chunks, and how many all are.
struct ShardShare {
  cluster::Shard shard;
  results::ChunkRange chunks;
  std::uint64_t all = 0;
  std::uint64_t size() const { return chunks.size(); }
};

/// A progress line on standard error. On a terminal the next one overwrites it, and the destructor
/// erases it; elsewhere, as in the log of a batch job, there is a line every `log_seconds`.
class ProgressLine {
 public:
  explicit ProgressLine(double log_seconds = 60);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// An empty text erases the line.
  void show(const std::string& text) const;

 private:
  bool terminal_;
  double log_seconds_;
  mutable Clock::time_point logged_ = Clock::now();
};

/// A progress text that fits in a row of so many columns. Its parts stand two spaces apart, the
/// label first and the time left last: those before the last are left out, but for one, then the
/// label is cut.
std::string fitted(std::string text, std::size_t columns);

/// "1:05" or "2:01:05" for so many seconds.
std::string duration(double seconds);

/// Percent, rate and time left of a search; `work_done` is the share of the whole that this run has
/// done.
std::string progress_text(const std::string& label, const search::Progress& progress,
                          double work_done);
/// The same of a race.
std::string progress_text(const std::string& label, const search::RaceProgress& progress);

/// Columns for the names of data sets.
std::size_t name_width(const data::Study& study);

/// Prints a document's best pipeline, and how it was searched; or, if it was there `already`, that
/// it was. `width`: columns for the data set's name; `share`: of a shard, what it was to search.
void print_result(const results::Document& document, bool already, bool json, std::size_t width,
                  const std::optional<ShardShare>& share = std::nullopt);
/// Says that a shard has no chunks of a document.
void print_nothing_of(const std::string& document, const ShardShare& share);
/// Prints what a race has left after each round, and what is to be said of it.
void print_rounds(const std::string& label, const search::Raced& raced);
/// Notes that the last bytes of a data set are no whole word in a precision, if so.
void print_tail(const std::string& name, synth::Precision precision, const data::Input& stored);
/// Says where the results are, unless `json`. Throws Error, which says where they are listed, if
/// checks failed.
void print_end(const std::filesystem::path& directory, std::uint64_t failures, bool json,
               const std::optional<cluster::Shard>& shard = std::nullopt);

/// The program as it was called, as a word of a shell.
std::string program_word();

/// The document of a search without preludes to which the structure of its data promises most of
/// them, beyond what was found: "in double about 178 times smaller, in place of 1.46, with LAGs:3,
/// and 2 more". Empty if none promises a tenth more. Reads at most 64 MiB of each, and
/// notes those that cannot be read any more.
std::string promise_of_preludes(const data::Study& study, const std::filesystem::path& directory);

}  // namespace fpsynth::study
