// Built where there is no nvcc.

#include "runners/search/cuda_engine.hpp"

namespace fpsynth::search {

EngineFactory cuda_engine(std::vector<device::DeviceInfo>) {
  return [](const synth::Plan&, std::size_t, Mode) -> std::unique_ptr<Engine> {
    throw device::DeviceError("this fpsynth was built without CUDA; --backend cpu runs without it");
  };
}

}  // namespace fpsynth::search
