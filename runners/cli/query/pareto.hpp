#pragma once
// `fpsynth query pareto`.

namespace CLI {
class App;
}

namespace fpsynth::cli {

/// Adds it to the command `query`.
void add_pareto(CLI::App& query);

}  // namespace fpsynth::cli
