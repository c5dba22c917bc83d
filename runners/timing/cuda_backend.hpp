#pragma once

#include <string>

#include "runners/timing/backend.hpp"

namespace fpsynth::timing {

/// The first usable GPU. Throws Error, with a remedy, if the program was built without CUDA or
/// finds no device.
Backend cuda_backend();

/// Adds kernels compiled at run time for each pipeline to the GPU's variants. Returns an empty
/// string, or a message for the user if that is impossible.
std::string add_generated_kernels(Backend& backend);

}  // namespace fpsynth::timing
