#pragma once
// One function per command, implemented in the folder of its topic. Each adds a command with its
// options, examples and callback to the program, or to the command to which it belongs. Callbacks
// throw fpsynth::Error; main() prints it on standard error and returns its exit status.
#include <span>
#include <string>

#include "runners/cli/arguments.hpp"

namespace fpsynth::cluster {
class Ranks;
}

namespace fpsynth::cli {

void add_search(Command app);
void add_merge(Command app);
void add_query(Command app);
void add_compress(Command app);
void add_decompress(Command app);
void add_inspect(Command app);
void add_explain(Command app);
void add_data(Command app);
void add_bench(Command app);
void add_baseline(Command app);
void add_compare(Command app);
void add_generate(Command app);
void add_hdf5(Command app);
void add_repack(Command app);
void add_gpu(Command app);

/// The text of --version: the version, the commit, the compiler, the instruction sets, CUDA and the
/// libraries, one line each.
std::string version_text();

/// `data info`.
void add_data_info(Command data);

/// `data export`.
void add_data_export(Command data);

/// `data list`.
void add_data_sets(Command data);

/// Runs a command line and returns the exit status. `ranks`: null in a process that runs alone,
/// which a signal that interrupts its work then ends. Called once, by main().
int run_program(int argc, char** argv, cluster::Ranks* ranks);

/// The words of the command line, the program's name among them.
std::span<char* const> typed_words();

/// The ranks, for commands that share their work among them; null in a process that runs alone.
cluster::Ranks* cluster_ranks();

}  // namespace fpsynth::cli
