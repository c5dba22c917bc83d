// Built where there is no nvcc.

#include "runners/baselines/gfc/device.hpp"
#include "runners/baselines/holt/device.hpp"

namespace fpsynth::baselines {
namespace {

[[noreturn]] void refuse() {
  throw device::DeviceError("this fpsynth was built without CUDA; --backend cpu runs without it");
}

}  // namespace

std::unique_ptr<GfcDevice> gfc_on(const device::DeviceInfo&) { refuse(); }
std::unique_ptr<HoltDevice> holt_on(const device::DeviceInfo&) { refuse(); }

}  // namespace fpsynth::baselines
