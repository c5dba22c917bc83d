#pragma once

#include <functional>

#include "runners/check/check.hpp"
#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// Opens what is to be checked. `device` is what --device says.
using TargetOpener = std::function<check::Target(unsigned device)>;

/// Adds `gpu check` of what `open` opens; tests have an emulated device. Returns the command.
Command add_gpu_check(Command gpu, TargetOpener open);

}  // namespace fpsynth::cli
