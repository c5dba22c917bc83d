#include "runners/baselines/holt/device_host.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::baselines {

std::unique_ptr<HoltDevice> holt_on(const device::DeviceInfo& info) {
  return std::make_unique<HoltOn<device::CudaDevice>>(info);
}

}  // namespace fpsynth::baselines
