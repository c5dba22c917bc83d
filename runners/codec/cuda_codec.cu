#include "runners/codec/device_codec_on.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::codec {

std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                        const device::DeviceInfo& device, std::size_t chunk_words) {
  return device_codec(device::CudaDevice(device), pipeline, word_bytes, chunk_words);
}

}  // namespace fpsynth::codec
