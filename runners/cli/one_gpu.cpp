#include "runners/cli/one_gpu.hpp"

#include <fmt/core.h>

#include "synth/common/error.hpp"

namespace fpsynth::cli {

void add_gpu_choice(Command command, GpuChoice& choice) {
  command
      .add_option("--backend", choice.backend,
                  "cpu; cuda, a GPU; or auto, a GPU if there is one. The bytes are the same")
      .show_default();
  command.add_option("--device", choice.device,
                     "Index of the GPU; the first one that can be used if left out");
}

std::optional<device::DeviceInfo> gpu_of(const GpuChoice& choice) {
  const bool given = !choice.device.empty();
  if (given && choice.backend == "cpu") {
    throw UsageError(fmt::format("--device {} goes with --backend cuda or auto", choice.device));
  }
  if (device::parse_backend(choice.backend, given ? choice.device : "all") ==
      device::Backend::Cpu) {
    return std::nullopt;
  }
  const auto devices =
      given ? device::parse_devices(choice.device) : device::parse_devices("all", 1);
  if (given && devices.size() != 1) {
    throw UsageError(
        fmt::format("--device {}: one GPU does this work; give one index", choice.device));
  }
  return devices.front();
}

}  // namespace fpsynth::cli
