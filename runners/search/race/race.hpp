#pragma once
// The search of spaces that are too large for an exhaustive one: pipelines that cannot be the best
// leave after a few chunks, the others are searched whole and verified.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/race/division.hpp"
#include "runners/search/search.hpp"
#include "synth/space.hpp"

namespace fpsynth::search {

struct RaceProgress {
  std::size_t round = 0;                  ///< from 1
  std::uint64_t chunks = 0;               ///< that the round ends with
  std::uint64_t entered = 0, stayed = 0;  ///< pipelines; `stayed` so far
  double done = 0;                        ///< share of the round
  double seconds_left = 0;                ///< of the round; 0 if that is not known yet
  double pipeline_bytes_per_second = 0;
};

struct RaceOptions {
  /// A pipeline leaves when it cannot be better than the best so far by more than this share.
  double margin = 0.0001;
  /// The probability that one leaves although it is better by more, in all rounds together.
  double risk = 0.01;
  std::uint64_t seed = 1;          ///< of the chunks that are drawn
  std::uint64_t first_chunks = 8;  ///< of the first round; each later one has twice as many
  /// The race ends when at most so many pipelines are left: these are searched on all chunks.
  std::size_t few = 64;
  /// Most entrants that are kept, the smallest ones. Fewer are kept where they were tried on more
  /// than some ten chunks. The race counts those that it drops for want of memory.
  std::size_t most_kept = std::size_t{1} << 20;
  /// Leaves of the tail plans at most; less only for tests.
  std::uint64_t most_leaves = Division::kMostLeaves;
  Peers* peers = nullptr;  ///< null: this process alone
  /// Called now and then by the calling thread.
  std::function<void(const RaceProgress&)> progress;
  /// Called about every SearchOptions::checkpoint_seconds and when the race is stopped, with what
  /// `resumed` takes.
  std::function<void(const std::vector<std::uint8_t>& state)> save;

  /// Throws UsageError for a margin or a risk that is out of its range.
  void check() const;
  /// "race, margin 0.0001, risk 0.01, seed 1, first round 8 chunks": equal texts for equal races.
  std::string text() const;
};

/// The result of a race, which may have been stopped before its end.
struct Raced {
  bool complete = false;
  bool of_all_chunks = false;  ///< whether all were drawn, so that it was an exhaustive search
  /// The survivors behind the preludes that they have, as a list; the empty prelude is among these.
  synth::Space space;
  results::Race race;
  /// The preludes that were tried, if any were asked for.
  std::vector<results::PreludeCandidate> prelude_candidates;
};

/// Chooses preludes as search_with_preludes() does, but tries them with shorter pipelines, and
/// races all pipelines behind them and alone. `resumed`: a state that was saved, or empty. Throws
/// Error as search() does, and if the state is damaged or of another race.
Raced race(const data::Input& input, const synth::Space& space, const RaceOptions& race,
           const PreludeOptions& preludes, const SearchOptions& options,
           std::span<const std::uint8_t> resumed = {});

/// The identity of a race, equal in all of its processes and in those that continue it: the data,
/// the space, and the options that the survivors depend on.
std::string race_identity(const results::DataSet& data, const synth::Space& space,
                          const RaceOptions& race, const SearchOptions& options);

/// Searches the survivors of a race on all chunks, with options.verification. `plan` is that of
/// raced.space; the document also describes the race. `done` is an earlier state of the same
/// search, or null.
results::Document search_survivors(const data::Input& input, const synth::Plan& plan,
                                   const Raced& raced, const PreludeOptions& preludes,
                                   const SearchOptions& options,
                                   const results::Document* done = nullptr);

}  // namespace fpsynth::search
