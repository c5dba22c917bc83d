#pragma once
// fpsynth search --dry-run: how much work a study is, and how long it would take, whole or in
// shards.

#include <cstdint>

#include "runners/data/study.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/race/race.hpp"
#include "synth/plan.hpp"
#include "synth/space.hpp"

namespace fpsynth::cli {

/// A search that is not run.
struct DryRun {
  const data::Study& study;
  const synth::Space& space;
  search::Verification verification;
  const search::PreludeOptions& preludes;
  std::uint64_t sample = 1;  ///< one chunk in this many
  search::EngineFactory make_engine;
  const search::RaceOptions* race = nullptr;  ///< of a race; null: exhaustive
  std::uint64_t shards = 0;                   ///< into which it would be divided; 0: none

  search::Mode mode() const;
  bool with_preludes() const;
  /// Preludes that are tried at most, and those of them that all chunks are searched behind.
  std::uint64_t candidates() const;
  std::uint64_t finalists() const;
};

/// Prints the size of the space, and how long the study would take and with how much memory, one
/// chunk in `sample`, as text or as a line of JSON. The size of a large space is computed; its time
/// is that of a smaller one, scaled by the number of stages to run. Of a race, the time is that of
/// its first round, which takes most of it. Throws Error if a search would refuse the space, and
/// what opening the data throws.
void dry_run(const DryRun& of, bool json);

}  // namespace fpsynth::cli
