// Built where there is no nvcc.

#include "runners/codec/device_codec.hpp"

namespace fpsynth::codec {

std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline&, std::size_t,
                                        const device::DeviceInfo&, std::size_t) {
  throw device::DeviceError("this fpsynth was built without CUDA; the codec runs on the CPU");
}

}  // namespace fpsynth::codec
