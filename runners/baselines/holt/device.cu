#include "runners/baselines/holt/device_host.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::baselines {

std::shared_ptr<HoltDevice> holt_on(const device::DeviceInfo& info) {
  return std::make_shared<HoltOn<device::CudaDevice>>(info);
}

}  // namespace fpsynth::baselines
