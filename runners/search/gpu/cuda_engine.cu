#include "runners/search/gpu/cuda_engine.hpp"

#include "runners/device/cuda_device.cuh"
#include "runners/search/gpu/cuda_walks/walks.hpp"
#include "runners/search/gpu/device_engine.hpp"

namespace fpsynth::search {

EngineFactory cuda_engine(std::vector<device::DeviceInfo> devices) {
  return [devices](const synth::Plan& plan, std::size_t word_bytes,
                   Mode mode) -> std::unique_ptr<Engine> {
    std::vector<device::CudaDevice> opened;
    for (const device::DeviceInfo& info : devices) opened.emplace_back(info);
    return std::make_unique<DeviceEngine<device::CudaDevice>>(std::move(opened), plan, word_bytes,
                                                              mode);
  };
}

}  // namespace fpsynth::search
