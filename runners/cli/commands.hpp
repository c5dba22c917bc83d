#pragma once
// One function per subcommand; each lives in a file of its own beside this one. Each adds its
// options, help text with examples and a callback to the application. Callbacks throw
// fpsynth::Error; main() turns that into a message on standard error and the exit status.
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

void add_search(Command app);
void add_query(Command app);
void add_compress(Command app);
void add_decompress(Command app);
void add_inspect(Command app);
void add_data(Command app);
void add_bench(Command app);
void add_baseline(Command app);
void add_compare(Command app);
void add_generate(Command app);

}  // namespace fpsynth::cli
