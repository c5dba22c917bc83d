#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runners/device/device.hpp"
#include "runners/search/engine.hpp"

namespace fpsynth::search {

/// The search on these GPUs (at least one; see device::parse_devices), which share the chunks.
/// `layout`: which one of walk_layouts() thread blocks have, if they are not to have the best;
/// `shared_percent`: see CudaDevice. The factory throws device::DeviceError if a device cannot be
/// used or has too little memory, or if the program was built without CUDA.
EngineFactory cuda_engine(std::vector<device::DeviceInfo> devices,
                          std::optional<std::size_t> layout = {},
                          std::optional<int> shared_percent = {});

}  // namespace fpsynth::search
