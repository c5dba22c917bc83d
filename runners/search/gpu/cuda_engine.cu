#include "runners/search/gpu/cuda_engine.hpp"

#include "runners/device/cuda_device.cuh"
#include "runners/device/cuda_kernel.cuh"
#include "runners/search/gpu/device_engine.hpp"
#include "runners/search/gpu/walk_kernel.hpp"

namespace fpsynth::device {

// Each takes minutes to compile, in a file of its own: cuda_walks/.
extern template struct CudaKernel<search::WalkBody<std::uint64_t, true>>;
extern template struct CudaKernel<search::WalkBody<std::uint64_t, false>>;
extern template struct CudaKernel<search::WalkBody<std::uint32_t, true>>;
extern template struct CudaKernel<search::WalkBody<std::uint32_t, false>>;
extern template struct CudaKernel<search::WalkBody<std::uint16_t, true>>;
extern template struct CudaKernel<search::WalkBody<std::uint16_t, false>>;

}  // namespace fpsynth::device

namespace fpsynth::search {

EngineFactory cuda_engine(std::vector<device::DeviceInfo> devices,
                          std::optional<std::size_t> layout, std::optional<int> shared_percent) {
  return
      [=](const synth::Plan& plan, std::size_t word_bytes, Mode mode) -> std::unique_ptr<Engine> {
        std::vector<device::CudaDevice> opened;
        for (const device::DeviceInfo& info : devices) opened.emplace_back(info, shared_percent);
        return std::make_unique<DeviceEngine<device::CudaDevice>>(std::move(opened), plan,
                                                                  word_bytes, mode, layout);
      };
}

}  // namespace fpsynth::search
