#pragma once
// `fpsynth query pareto`.
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// Adds it to the command `query`.
void add_pareto(Command query);

}  // namespace fpsynth::cli
