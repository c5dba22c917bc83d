#pragma once
// The sweep commands of fpsynth baseline.

namespace CLI {
class App;
}

namespace fpsynth::cli {

void add_pfpc_sweep(CLI::App& pfpc);
void add_gfc_sweep(CLI::App& gfc);
void add_holt_sweep(CLI::App& holt);

}  // namespace fpsynth::cli
