#pragma once

#include "runners/device/cuda_device.cuh"
#include "runners/device/wait_watch.hpp"

namespace fpsynth::device {

/// A GPU whose waits are watched: the program's. (Generated code has CudaDevice alone.)
class WatchedCuda : public Watched<CudaDevice> {
 public:
  explicit WatchedCuda(const DeviceInfo& info) : Watched(CudaDevice(info)) {}
};

}  // namespace fpsynth::device
