// Built where there is no nvcc.

#include "runners/timing/device_timed.hpp"

namespace fpsynth::throughput {

std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo&) {
  throw device::DeviceError("this fpsynth was built without CUDA; take --backend cpu");
}

}  // namespace fpsynth::throughput
