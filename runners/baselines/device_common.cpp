#include "runners/baselines/device_common.hpp"

#include <fmt/core.h>

#include "runners/device/device.hpp"

namespace fpsynth::baselines {

void refuse_memory(std::string_view device, std::string_view what, std::size_t needed,
                   std::size_t free) {
  throw device::DeviceError(fmt::format(
      "{}: {} needs {} bytes of its memory, but {} are free; end other programs that use the "
      "GPU, or use --backend cpu",
      device, what, needed, free));
}

void refuse_device(std::string_view device, std::string_view file) {
  throw device::DeviceError(
      fmt::format("{}: {} failed to decode it, but the CPU can; this GPU is not reliable, use "
                  "--backend cpu",
                  file, device));
}

}  // namespace fpsynth::baselines
