#include "runners/codec/gpu/codec_on.hpp"
#include "runners/codec/gpu/files_on.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::codec {
std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                        const device::DeviceInfo& device, std::size_t chunk_words) {
  return device_codec(device::CudaDevice(device), pipeline, word_bytes, chunk_words);
}

std::uint64_t compress_cuda(std::span<const std::byte> input, std::string_view name,
                            const synth::Method& method, std::size_t word_bytes,
                            PatchableSink& sink, const device::DeviceInfo& device,
                            const CodecOptions& options) {
  return compress_on(device::CudaDevice(device), input, name, method, word_bytes, sink, options);
}

std::uint64_t decompress_cuda(std::span<const std::byte> file, std::string_view name, Sink& sink,
                              const device::DeviceInfo& device, const CodecOptions& options) {
  return decompress_on(device::CudaDevice(device), file, name, sink, options);
}

}  // namespace fpsynth::codec
