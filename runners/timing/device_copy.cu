#include "runners/device/watched_cuda.cuh"
#include "runners/timing/device_copy.hpp"

namespace fpsynth::timing {

std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo& device) {
  return std::make_unique<DeviceCopyOn<device::WatchedCuda>>(device::WatchedCuda(device));
}

}  // namespace fpsynth::timing
