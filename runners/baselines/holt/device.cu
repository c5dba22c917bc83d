#include "runners/baselines/holt/device_host.hpp"
#include "runners/device/watched_cuda.cuh"

namespace fpsynth::baselines {

std::shared_ptr<HoltDevice> holt_on(const device::DeviceInfo& info) {
  return std::make_shared<HoltOn<device::WatchedCuda>>(info);
}

}  // namespace fpsynth::baselines
