#pragma once
// The part of `fpsynth data` that deals with described data sets: list, fetch, verify.
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// Adds them to the command `data`.
void add_data_sets(Command data);

}  // namespace fpsynth::cli
