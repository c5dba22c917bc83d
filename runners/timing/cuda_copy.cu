#include "runners/device/cuda_device.cuh"
#include "runners/timing/device_timed.hpp"

namespace fpsynth::throughput {

std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo& device) {
  return std::make_unique<DeviceCopyOn<device::CudaDevice>>(device::CudaDevice(device));
}

}  // namespace fpsynth::throughput
