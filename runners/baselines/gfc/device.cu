#include "runners/baselines/gfc/device_host.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::baselines {

std::shared_ptr<GfcDevice> gfc_on(const device::DeviceInfo& info) {
  return std::make_shared<GfcOn<device::CudaDevice>>(info);
}

}  // namespace fpsynth::baselines
