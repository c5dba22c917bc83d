#include "runners/codec/gpu/preludes/prelude_files_on.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::codec {

std::uint64_t compress_cuda(std::span<const std::byte> input, std::string_view name,
                            const synth::Method& method, std::size_t word_bytes,
                            PatchableSink& sink, const device::DeviceInfo& device,
                            const CodecOptions& options) {
  return compress_on(device::CudaDevice(device), input, name, method, word_bytes, sink, options);
}

std::uint64_t decompress_file_cuda(std::span<const std::byte> file, std::string_view name,
                                   Sink& sink, const device::DeviceInfo& device,
                                   const CodecOptions& options) {
  return decompress_file_on(device::CudaDevice(device), file, name, sink, options);
}

}  // namespace fpsynth::codec
