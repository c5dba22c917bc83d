#pragma once
// What `fpsynth search --strategy race` does with one data set.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "results/documents/document.hpp"
#include "runners/cli/search/output.hpp"
#include "runners/data/input.hpp"
#include "runners/search/race/race.hpp"

namespace fpsynth::cli {

/// The options of a race, as they are given.
struct RaceArguments {
  std::string strategy = "exhaustive";
  std::optional<double> margin, risk;
  std::optional<std::uint64_t> seed, first_chunks;
  std::optional<std::string> min_speed, speed_model;

  bool race() const { return strategy == "race"; }
  /// Throws UsageError for options without a race, and for values that none can have.
  search::RaceOptions options() const;
};

/// What a search of one data set in one precision has made.
struct Found {
  results::Document document;
  bool already = false;  ///< whether it was complete before
  bool none = false;     ///< of a shard without chunks, which has no document
};

/// The file in which an interrupted race is kept, beside the document that it will make.
std::filesystem::path race_state_path(const std::filesystem::path& document);

/// What is to be raced, and how.
struct RaceJob {
  const data::Input& input;
  const synth::Space& space;
  search::RaceOptions race;
  search::PreludeOptions preludes;
  search::SearchOptions options;  ///< with `stop`, but no callbacks of progress and checkpoints
  std::filesystem::path document;
  std::string label;  ///< of the progress line
  bool resume = false;
  /// Of a shard, which races together with the others and searches the survivors on its chunks.
  std::optional<ShardShare> share = std::nullopt;
  std::filesystem::path speed_model =
      {};  ///< directory of throughput documents, for race.min_speed
};

/// Races, searches the survivors whole, and writes the document. A race that was stopped leaves its
/// state beside the document, and returns none. Throws Error; for a shard, Interrupted where others
/// must go on first.
std::optional<Found> race_one(const RaceJob& job);

/// The text of the progress line of a race.
std::string round_text(const std::string& label, const search::RaceProgress& progress);
/// Prints what a race has left after each round, and what is to be said of it.
void print_rounds(const std::string& label, const search::Raced& raced);
/// What predicts the speeds of a data set's pipelines for a race with least speeds: the model in
/// its throughput document, of which `directory` has one for each data set. Nothing if any speed
/// will do. Throws Error if there is none.
std::optional<search::SpeedLimit> speed_limit(const search::RaceOptions& race,
                                              const std::filesystem::path& directory,
                                              const std::string& data_set,
                                              synth::Precision precision);
/// What a document of survivors was made of.
search::Raced raced_of(const results::Document& document);
/// The earlier document of a race. Throws Error if it is of an exhaustive search.
results::Document read_raced(const std::filesystem::path& path);

}  // namespace fpsynth::cli
