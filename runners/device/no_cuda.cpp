// Built where there is no nvcc.

#include "runners/device/device.hpp"

namespace fpsynth::device {

bool built_with_cuda() { return false; }

std::vector<DeviceInfo> cuda_devices(std::string* why_none, const std::vector<int>&) {
  if (why_none) {
    *why_none = "this fpsynth was built without CUDA (install nvcc and build the preset `cuda`)";
  }
  return {};
}

}  // namespace fpsynth::device
