#include "runners/codec/gpu/files.hpp"

#include <fmt/core.h>

namespace fpsynth::codec {

void refuse_memory(std::string_view device, std::size_t needed, std::size_t free) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  throw device::DeviceUnsuitable(
      fmt::format("{}: the codec needs {} MiB of device memory for this pipeline, but {} MiB are "
                  "available; end other programs that use the GPU, or use --backend cpu",
                  device, needed / kMiB + 1, free / kMiB));
}

}  // namespace fpsynth::codec
