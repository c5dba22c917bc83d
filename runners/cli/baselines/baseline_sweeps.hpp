#pragma once
// The sweep commands of fpsynth baseline.
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

void add_pfpc_sweep(Command pfpc);
void add_gfc_sweep(Command gfc);
void add_holt_sweep(Command holt);

}  // namespace fpsynth::cli
