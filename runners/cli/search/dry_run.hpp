#pragma once
// fpsynth search --dry-run: how much work a study is, and how long it would take, here or, with
// --nodes, on a cluster with fpsynth-mpi, and on how many nodes it stops scaling.

#include <cstdint>

#include "runners/data/study.hpp"
#include "runners/search/prelude_search.hpp"
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

  search::Mode mode() const;
  bool with_preludes() const;
  /// Preludes that are tried at most, and those of them that all chunks are searched behind.
  std::uint64_t candidates() const;
  std::uint64_t finalists() const;
};

/// A space of the same components whose plan is built quickly, with fewer stages if necessary.
synth::Space measurable(synth::Space space);

/// Prints the size of the space, and how long the study would take and with how much memory, one
/// chunk in `sample`, as text or as a line of JSON. The size of a large space is computed; its time
/// is that of a smaller one, scaled by the number of stages to run. Of a race, the time is that of
/// its first round, which takes most of it. Throws Error if a search would refuse the space, and
/// what opening the data throws.
void dry_run(const DryRun& of, bool json);

/// The nodes of a cluster, each like this machine.
struct Nodes {
  unsigned count = 1;
  /// A node's GPUs, with a rank for each. 0: a rank per node, which searches on its processors.
  unsigned gpus = 0;

  unsigned ranks_each() const { return gpus == 0 ? 1 : gpus; }
};

/// Times chunks of each data set, and what a rank and rank 0 do beside walking them, on this
/// machine with one rank's engine, `of.make_engine`. Then simulates the cluster, and others with
/// more or fewer nodes, and prints what it finds: as text, or `json`, as one object. Throws as
/// dry_run().
void dry_run_on_nodes(const DryRun& of, const Nodes& nodes, bool json);

}  // namespace fpsynth::cli
