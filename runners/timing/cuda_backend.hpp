#pragma once

#include <string>

#include "runners/timing/backend.hpp"

namespace fpsynth::timing {

/// The GPU. Throws Error, which names the way out, where the program was built without CUDA or
/// finds no device.
Backend cuda_backend();

/// Adds kernels compiled at run time for each pipeline to the GPU's variants. Returns what the user
/// should know where it cannot: empty if all is well.
std::string add_generated_kernels(Backend& backend);

}  // namespace fpsynth::timing
