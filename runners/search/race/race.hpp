#pragma once
// The search of spaces that are too large for an exhaustive one: pipelines that cannot be the best
// leave after a few chunks, the others are searched whole and verified.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/race/options.hpp"
#include "runners/search/search.hpp"
#include "synth/space.hpp"

namespace fpsynth::search {

/// A race that has been run, or has not been run to its end.
struct Raced {
  bool complete = false;
  bool of_all_chunks = false;  ///< whether all were drawn, so that it was an exhaustive search
  /// The survivors behind the preludes that they have, as a list; the empty prelude is among these.
  synth::Space space;
  results::Race race;
  /// What was tried in front of the pipelines, if preludes were asked for.
  std::vector<results::PreludeCandidate> prelude_candidates;
};

/// Chooses preludes as search_with_preludes() does, but tries them with shorter pipelines, and
/// races all pipelines behind them and alone. `resumed`: a state that was saved, or empty. Throws
/// Error as search() does, if the state is damaged or of another race, if no pipeline is fast
/// enough, and for a speed limit with preludes, whose speed no model predicts.
Raced race(const data::Input& input, const synth::Space& space, const RaceOptions& race,
           const PreludeOptions& preludes, const SearchOptions& options,
           std::span<const std::uint8_t> resumed = {});

/// What the processes of a race, and those that continue one, must have in common: the data, the
/// space, and the options that decide what is left.
std::string race_identity(const results::DataSet& data, const synth::Space& space,
                          const RaceOptions& race, const SearchOptions& options);

/// Searches what a race left on all chunks, with options.verification: search_with_preludes() of
/// the plan of raced.space, of which the document says how it was chosen. `done` is an earlier
/// state of the same search, or null.
results::Document search_survivors(const data::Input& input, const synth::Plan& plan,
                                   const Raced& raced, const PreludeOptions& preludes,
                                   const SearchOptions& options,
                                   const results::Document* done = nullptr);

}  // namespace fpsynth::search
