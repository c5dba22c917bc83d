#pragma once
// One function per command, implemented in the folder of its topic. Each adds a command with its
// options, examples and callback to the program, or to the command to which it belongs. Callbacks
// throw fpsynth::Error; main() prints it on standard error and returns its exit status.
#include <string>

#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

void add_search(Command app);
void add_merge(Command app);
void add_query(Command app);
void add_compress(Command app);
void add_decompress(Command app);
void add_inspect(Command app);
void add_data(Command app);
void add_bench(Command app);
void add_baseline(Command app);
void add_compare(Command app);
void add_generate(Command app);

/// What --version prints: the version, the commit, the compiler, the instruction sets, CUDA and the
/// libraries, one line each.
std::string version_text();

/// `baseline pfpc sweep`, `baseline gfc sweep`, `baseline holt sweep`.
void add_pfpc_sweep(Command pfpc);
void add_gfc_sweep(Command gfc);
void add_holt_sweep(Command holt);

/// `data info`.
void add_data_info(Command data);

/// `data export`.
void add_data_export(Command data);

/// `data list`, `data fetch` and `data verify`.
void add_data_sets(Command data);

}  // namespace fpsynth::cli
