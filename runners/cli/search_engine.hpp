#pragma once
// The engine of a search, as commands choose it.

#include <vector>

#include "runners/device/device.hpp"
#include "runners/search/engine.hpp"

namespace fpsynth::cli {

/// The engine that walks on `devices`, or on `threads` of the processor (0: all) if there are none.
/// With `or_processor`, also if a device proves to be too small, after a note on standard error.
/// `merge_equal`: SearchOptions::merge_equal.
search::EngineFactory engine_on(const std::vector<device::DeviceInfo>& devices, bool or_processor,
                                int threads, bool merge_equal = true);

}  // namespace fpsynth::cli
