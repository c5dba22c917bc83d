// Built where there is no nvcc.

#include "runners/baselines/gfc_device.hpp"

namespace fpsynth::baselines {

std::unique_ptr<GfcDevice> gfc_on(const device::DeviceInfo&) {
  throw device::DeviceError("this fpsynth was built without CUDA; --backend cpu runs without it");
}

}  // namespace fpsynth::baselines
