// A stand-in for the *.cu files in builds of the program without nvcc: every function that
// they define, but for those of baselines (on_gpu()). It knows the headers of all runners and is
// known by none; the build decides whether it or the *.cu files are compiled.

#include "runners/codec/device_codec.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/device/device.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/timing/device_copy.hpp"

namespace fpsynth {
namespace device {

bool built_with_cuda() { return false; }

std::vector<int> cuda_device_indexes() { return {}; }

void refuse_without_cuda() {
  throw DeviceError("this fpsynth was built without CUDA; --backend cpu runs without it");
}

std::vector<DeviceInfo> cuda_devices(std::string* why_none, const std::vector<int>&, std::size_t) {
  if (why_none) {
    *why_none = "this fpsynth was built without CUDA (install nvcc and build the preset `cuda`)";
  }
  return {};
}

}  // namespace device

namespace codec {

std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline&, std::size_t,
                                        const device::DeviceInfo&, std::size_t) {
  device::refuse_without_cuda();
}

std::unique_ptr<DeviceCodec> cuda_loaded_codec(const synth::Pipeline&, std::size_t,
                                               const device::DeviceInfo&,
                                               std::span<const std::byte>) {
  device::refuse_without_cuda();
}

std::uint64_t compress_cuda(std::span<const std::byte>, std::string_view, const synth::Method&,
                            std::size_t, PatchableSink&, const device::DeviceInfo&,
                            const CodecOptions&) {
  device::refuse_without_cuda();
}

std::uint64_t decompress_cuda(std::span<const std::byte>, std::string_view, Sink&,
                              const device::DeviceInfo&, const CodecOptions&) {
  device::refuse_without_cuda();
}

}  // namespace codec

namespace search {

EngineFactory cuda_engine(std::vector<device::DeviceInfo>, std::optional<std::size_t>,
                          std::optional<int>) {
  return [](const synth::Plan&, std::size_t, Mode) -> std::unique_ptr<Engine> {
    device::refuse_without_cuda();
  };
}

}  // namespace search

namespace timing {

std::unique_ptr<TimedCodec> cuda_copy(const device::DeviceInfo&) { device::refuse_without_cuda(); }
}  // namespace timing
}  // namespace fpsynth
