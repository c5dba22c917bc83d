#include "runners/baselines/device_common.hpp"

#include <fmt/core.h>

#include "runners/device/device.hpp"

namespace fpsynth::baselines {

void refuse_memory(std::string_view device, std::string_view what, std::size_t needed,
                   std::size_t free) {
  throw device::DeviceError(
      fmt::format("{}: {} needs {} bytes of its memory, and {} are free; end what else runs there, "
                  "or take --backend cpu",
                  device, what, needed, free));
}

void refuse_device(std::string_view device, std::string_view file) {
  throw device::DeviceError(
      fmt::format("{}: {} did not decode it, and the CPU does; do not trust this GPU, take "
                  "--backend cpu",
                  file, device));
}

}  // namespace fpsynth::baselines
