#pragma once
// The program, as one process runs it alone or as one of the ranks of a cluster does.

#include "runners/cluster/transport.hpp"

namespace fpsynth::cli {

/// Runs a command line and returns the exit status. `transport`: how this rank reaches the others;
/// null in a process that runs alone, which a signal that interrupts its work then ends. Called
/// once, by main().
int run_program(int argc, char** argv, cluster::Transport* transport);

/// The ranks, for commands that share their work among them; null in a process that runs alone.
cluster::Transport* cluster_transport();

}  // namespace fpsynth::cli
