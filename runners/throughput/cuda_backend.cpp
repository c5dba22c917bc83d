// The GPU as a backend of `bench pipelines`.

#include <fmt/core.h>

#include "runners/device/device.hpp"
#include "runners/throughput/backend.hpp"

namespace fpsynth::throughput {

Backend cuda_backend() {
  std::string why;
  const auto devices = device::cuda_devices(&why);
  if (devices.empty()) {
    throw device::DeviceError(
        fmt::format("no GPU to time on: {}; leave out --backend, or take --backend cpu", why));
  }
  throw device::DeviceError(
      fmt::format("{}: this version times pipelines on the CPU only; take --backend cpu",
                  devices.front().name));
}

}  // namespace fpsynth::throughput
