#pragma once

#include "runners/device/cuda_device.cuh"
#include "runners/device/wait_watch.hpp"

namespace fpsynth::device {

/// A GPU whose waits are watched: the program's. (Generated code has CudaDevice alone.)
class WatchedCuda : public Watched<CudaDevice> {
 public:
  explicit WatchedCuda(const DeviceInfo& info, std::optional<int> shared_percent = {})
      : Watched(CudaDevice(info, shared_percent)) {}
};

}  // namespace fpsynth::device
