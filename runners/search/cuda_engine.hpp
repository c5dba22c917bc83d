#pragma once

#include <vector>

#include "runners/device/device.hpp"
#include "runners/search/engine.hpp"

namespace fpsynth::search {

/// The search on these GPUs (at least one; device::parse_devices gives them), which share the
/// chunks. The factory throws device::DeviceError where a device cannot be used, has too little
/// memory, or the program was built without CUDA.
EngineFactory cuda_engine(std::vector<device::DeviceInfo> devices);

}  // namespace fpsynth::search
