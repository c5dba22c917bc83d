#pragma once
// The search of spaces that are too large for an exhaustive one: pipelines that cannot be the best
// leave after a few chunks, the others are searched whole and verified.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/race/options.hpp"
#include "runners/search/search.hpp"
#include "synth/space.hpp"

namespace fpsynth::search {

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
