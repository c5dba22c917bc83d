#pragma once
// fpsynth search --dry-run --nodes N: how long a study would take on a cluster with fpsynth-mpi,
// and on how many nodes it stops scaling.

#include "runners/cli/search/dry_run.hpp"

namespace fpsynth::cli {

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
