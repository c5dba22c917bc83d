#pragma once
// Options of commands that can use one GPU instead of the CPU.

#include <optional>
#include <string>

#include "runners/cli/arguments.hpp"
#include "runners/device/device.hpp"

namespace fpsynth::cli {

struct GpuChoice {
  std::string backend = "cpu", device;
};

/// Adds the options --backend and --device.
void add_gpu_choice(Command command, GpuChoice& choice);

/// The GPU that the options ask for, if any. Throws UsageError for options that contradict each
/// other, and DeviceError if a GPU is required and none can be used.
std::optional<device::DeviceInfo> gpu_of(const GpuChoice& choice);

}  // namespace fpsynth::cli
