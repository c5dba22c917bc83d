#pragma once
// The engine of a search, as commands choose it.

#include <string>
#include <vector>

#include "runners/device/device.hpp"
#include "runners/search/engine.hpp"

namespace fpsynth::cli {

/// The engine that walks on `devices`, or on `threads` of the processor (0: all) if there are none.
/// With `or_processor`, also if a device proves to be too small, after a note on standard error.
/// `merge_equal`: SearchOptions::merge_equal.
search::EngineFactory engine_on(const std::vector<device::DeviceInfo>& devices, bool or_processor,
                                int threads, bool merge_equal = true);

/// The engine of a rank of a cluster, for a dry run: on one of `devices` (as for --device) if
/// `gpu`, else on the processor. Throws Error if there is no GPU: what other machines' take is not
/// known.
search::EngineFactory engine_of_rank(bool gpu, const std::string& devices, int threads,
                                     bool merge_equal);

}  // namespace fpsynth::cli
