#include "runners/device/cuda_device.cuh"
#include "runners/timing/device_copy.hpp"

namespace fpsynth::timing {

std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo& device) {
  return std::make_unique<DeviceCopyOn<device::CudaDevice>>(device::CudaDevice(device));
}

}  // namespace fpsynth::timing
