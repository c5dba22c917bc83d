// Built where there is no nvcc.

#include "runners/codec/device_codec.hpp"
#include "runners/codec/gpu/files.hpp"

namespace fpsynth::codec {
namespace {

[[noreturn]] void refuse() {
  throw device::DeviceError("this fpsynth was built without CUDA; the codec runs on the CPU");
}

}  // namespace

std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline&, std::size_t,
                                        const device::DeviceInfo&, std::size_t) {
  refuse();
}

std::unique_ptr<DeviceCodec> cuda_loaded_codec(const synth::Pipeline&, std::size_t,
                                               const device::DeviceInfo&,
                                               std::span<const std::byte>) {
  refuse();
}

std::uint64_t compress_cuda(std::span<const std::byte>, std::string_view, const synth::Pipeline&,
                            std::size_t, PatchableSink&, const device::DeviceInfo&,
                            const CodecOptions&) {
  refuse();
}

std::uint64_t decompress_cuda(std::span<const std::byte>, std::string_view, Sink&,
                              const device::DeviceInfo&, const CodecOptions&) {
  refuse();
}

}  // namespace fpsynth::codec
