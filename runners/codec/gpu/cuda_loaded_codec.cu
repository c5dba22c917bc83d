// The codec with kernels that were compiled at run time.

#include <memory>
#include <type_traits>

#include "runners/codec/gpu/codec_on.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "runners/device/cuda_device.cuh"

namespace fpsynth::codec {
namespace {

/// A CudaDevice that takes the kernels of LoadedProgram<W> from a cubin.
template <class W>
class LoadedDevice : public device::CudaDevice {
  using Encode = EncodeKernel<LoadedProgram<W>>;
  using Decode = DecodeKernel<LoadedProgram<W>>;
  template <class Body>
  static constexpr bool is_loaded = std::is_same_v<Body, Encode> || std::is_same_v<Body, Decode>;

 public:
  LoadedDevice(const device::DeviceInfo& info, std::span<const std::byte> cubin)
      : CudaDevice(info) {
    cudaLibrary_t library = nullptr;
    check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "load compiled code");
    library_.reset(library, cudaLibraryUnload);
    encode_ = entry("fpsynth_encode");
    decode_ = entry("fpsynth_decode");
  }

  template <class Body>
  std::uint32_t resident_blocks(std::size_t shared_bytes) {
    if constexpr (is_loaded<Body>) {
      return resident_blocks_of(entry_of<Body>(), Body::kLanes, shared_bytes);
    } else {
      return CudaDevice::resident_blocks<Body>(shared_bytes);
    }
  }
  template <class Body>
  void launch(Stream& stream, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    if constexpr (is_loaded<Body>) {
      launch_entry<Body>(entry_of<Body>(), stream, blocks, shared_bytes, args);
    } else {
      CudaDevice::launch<Body>(stream, blocks, shared_bytes, args);
    }
  }

 private:
  /// The runtime accepts a kernel's handle in place of a kernel's address.
  const void* entry(const char* name) {
    cudaKernel_t kernel = nullptr;
    check(cudaLibraryGetKernel(&kernel, library_.get(), name), name);
    return reinterpret_cast<const void*>(kernel);
  }
  template <class Body>
  const void* entry_of() const {
    return std::is_same_v<Body, Encode> ? encode_ : decode_;
  }

  std::shared_ptr<std::remove_pointer_t<cudaLibrary_t>> library_;
  const void *encode_ = nullptr, *decode_ = nullptr;
};

template <class W>
std::unique_ptr<DeviceCodec> loaded_codec(const Header& format, const device::DeviceInfo& device,
                                          std::span<const std::byte> cubin) {
  return std::make_unique<DeviceCodecOn<LoadedDevice<W>, LoadedProgram<W>>>(
      LoadedDevice<W>(device, cubin), format, loaded_program<W>(format.pipeline));
}

}  // namespace

std::unique_ptr<DeviceCodec> cuda_loaded_codec(const synth::Pipeline& pipeline,
                                               std::size_t word_bytes,
                                               const device::DeviceInfo& device,
                                               std::span<const std::byte> cubin) {
  const Header format = header_of(pipeline, word_bytes, synth::kChunkWords, 1);
  return components::with_device_word(
      word_bytes, [&]<class W>() { return loaded_codec<W>(format, device, cubin); });
}

}  // namespace fpsynth::codec
