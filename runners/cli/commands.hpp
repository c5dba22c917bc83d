#pragma once
// One function per subcommand; each lives in a file of its own beside this one. Each adds its
// options, help text with examples and a callback to the application. Callbacks throw
// fpsynth::Error; main() turns that into a message on standard error and the exit status.

namespace CLI {
class App;
}

namespace fpsynth::cli {

void add_search(CLI::App& app);
void add_query(CLI::App& app);
void add_compress(CLI::App& app);
void add_decompress(CLI::App& app);
void add_inspect(CLI::App& app);
void add_data(CLI::App& app);
void add_bench(CLI::App& app);
void add_baseline(CLI::App& app);
void add_compare(CLI::App& app);
void add_generate(CLI::App& app);

}  // namespace fpsynth::cli
