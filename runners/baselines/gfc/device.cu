#include "runners/baselines/gfc/device_host.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::baselines {

std::unique_ptr<GfcDevice> gfc_on(const device::DeviceInfo& info) {
  return std::make_unique<GfcOn<device::CudaDevice>>(info);
}

}  // namespace fpsynth::baselines
