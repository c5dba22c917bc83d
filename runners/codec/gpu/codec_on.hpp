#pragma once
// DeviceCodec on any kind of device.

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runners/codec/device_codec.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

template <device::Device Device>
class DeviceBufferOn : public DeviceBuffer {
 public:
  DeviceBufferOn(Device& device, std::size_t bytes)
      : device_(device),
        stream_(device.make_stream()),
        memory_(device.template allocate<std::byte>(bytes)) {}

  std::byte* data() override { return memory_.data(); }
  void write(std::span<const std::byte> bytes, std::size_t at) override {
    device_.use();
    device_.to_device(stream_, memory_.data() + at, bytes.data(), bytes.size());
    device_.wait(stream_);
  }
  void read_into(std::span<std::byte> bytes, std::size_t at) override {
    device_.use();
    device_.to_host(stream_, bytes.data(), memory_.data() + at, bytes.size());
    device_.wait(stream_);
  }

 private:
  Device& device_;
  typename Device::Stream stream_;
  typename Device::template Buffer<std::byte> memory_;
};

/// `Program` must be the program of `format`.
template <device::Device Device, ProgramSizes Program>
class DeviceCodecOn : public DeviceCodec {
 public:
  /// `format`: only its pipeline, word size and chunk length are used.
  DeviceCodecOn(Device device, const Header& format, const Program& program)
      : device_(std::move(device)),
        format_(format),
        frames_(format),
        launcher_(device_, program),
        host_(device_.template allocate_host<std::uint64_t>(LaunchWords::kCount + 1)),
        host_bytes_(device_.template allocate_host<std::byte>(
            std::max(HeaderKernel::kMostBytes, frames_.bytes()))) {}

  std::size_t bound(std::size_t bytes) const override { return frames_.layout(bytes).bound(); }
  std::size_t workspace_bytes(std::size_t bytes) const override {
    return launcher_.workspace_bytes(frames_.layout(bytes));
  }
  void reserve(std::size_t bytes) override {
    device_.use();
    if (workspace_bytes(bytes) <= workspace_.size()) return;
    workspace_ = {};
    workspace_ = device_.template allocate<std::byte>(workspace_bytes(bytes));
  }

  void encode(const void* in, std::size_t bytes, void* out, std::size_t capacity, void* stream,
              std::optional<std::uint64_t> checksum) override {
    Header header = format_;
    header.original_bytes = bytes;
    const ContainerLayout layout = frames_.layout(bytes);
    if (capacity < layout.blocks_at) refuse_capacity(capacity, layout.blocks_at, layout.bound());
    const auto* const original = static_cast<const std::byte*>(in);
    auto* const container = static_cast<std::byte*>(out);
    capacity_ = capacity;
    begin(header, stream, false);
    const auto at = launcher_.parts(layout, workspace_.data());
    if (!checksum) launcher_.hash(stream_, at, original, bytes);
    header.checksum = checksum.value_or(0);
    middle_ = device_.record(stream_);
    HeaderKernel::Args args{};
    std::ranges::copy(serialize(header), args.header);
    args.checksum = checksum ? nullptr : at.hash;
    launcher_.encode(stream_, at, layout, original, container, capacity, args);
    launcher_.fetch(stream_, at, host_.data());
    end_ = device_.record(stream_);
  }
  std::size_t finish_encode() override {
    wait();
    const ContainerLayout layout = frames_.layout(header_.original_bytes);
    const std::size_t needed = layout.blocks_at + *found().bytes();
    if (*found().fault()) refuse_capacity(capacity_, needed, layout.bound());
    return needed;
  }

  Header header(const void* in, std::size_t bytes, void* stream) override {
    device_.use();
    stream_ = Device::borrowed(stream);
    const std::size_t most = std::min(bytes, HeaderKernel::kMostBytes);
    device_.to_host(stream_, host_bytes_.data(), static_cast<const std::byte*>(in), most);
    wait();
    return parse_header({host_bytes_.data(), most}, kName);
  }
  void decode(const void* in, std::size_t bytes, const Header& header, void* out, void* stream,
              bool verify) override {
    refuse_other_format(header, format_);
    const ContainerLayout layout = frames_.layout(header.original_bytes);
    refuse_truncated(kName, header, layout, bytes);
    container_ = static_cast<const std::byte*>(in);
    auto* const original = static_cast<std::byte*>(out);
    verify_ = verify;
    begin(header, stream, true);
    block_bytes_ = bytes - layout.blocks_at;
    const auto at = launcher_.parts(layout, workspace_.data());
    launcher_.decode(stream_, at, layout, container_, bytes, original);
    launcher_.fetch(stream_, at, host_.data());
    middle_ = device_.record(stream_);
    if (verify) {
      launcher_.hash(stream_, at, original, header.original_bytes);
      device_.to_host(stream_, host_.data() + LaunchWords::kCount, at.hash, 1);
    }
    end_ = device_.record(stream_);
  }
  void finish_decode() override {
    wait();
    if (const Fault fault = fault_found(); fault.found()) {
      if (fault.kind == FaultKind::Frame) fetch_frame(fault.chunk);
      refuse_fault(kName, header_, fault, host_bytes_.data());
    }
    if (verify_) refuse_wrong_sum(kName, header_, host_.data()[LaunchWords::kCount]);
  }

  std::unique_ptr<DeviceBuffer> buffer(std::size_t bytes) override {
    device_.use();
    return std::make_unique<DeviceBufferOn<Device>>(device_, bytes);
  }
  Seconds seconds() override {
    const double first = device_.seconds(begin_, middle_), second = device_.seconds(middle_, end_);
    return decodes_ ? Seconds{first, second} : Seconds{second, first};
  }

 private:
  static constexpr std::string_view kName = "compressed data";

  LaunchWords found() { return LaunchWords{host_.data()}; }

  void begin(const Header& header, void* stream, bool decodes) {
    device_.use();
    reserve(header.original_bytes);
    header_ = header;
    decodes_ = decodes;
    stream_ = Device::borrowed(stream);
    begin_ = device_.record(stream_);
  }
  void wait() {
    device_.use();
    device_.wait(stream_);
  }

  /// The fault that the kernels found, if any. A container without chunks has no blocks, so any
  /// byte after its frames is a fault.
  Fault fault_found() {
    const std::uint64_t after = block_bytes_ - std::min(block_bytes_, *found().bytes());
    if (const std::uint64_t word = *found().fault()) {
      return {FaultWord::kind(word), FaultWord::chunk(word), after};
    }
    return after > 0 ? Fault{FaultKind::Trailing, 0, after} : Fault{};
  }
  void fetch_frame(std::uint64_t chunk) {
    const std::size_t at = frames_.layout(header_.original_bytes).frame_at(chunk);
    device_.to_host(stream_, host_bytes_.data(), container_ + at, frames_.bytes());
    wait();
  }

  Device device_;
  Header format_;
  PipelineFrames frames_;
  ContainerLauncher<Device, Program> launcher_;
  typename Device::template Buffer<std::byte> workspace_;
  typename Device::template HostBuffer<std::uint64_t> host_;    ///< LaunchWords, and a checksum
  typename Device::template HostBuffer<std::byte> host_bytes_;  ///< a header or a frame

  // State of the call in progress.
  Header header_;
  typename Device::Stream stream_;
  typename Device::Event begin_, middle_, end_;
  const std::byte* container_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t block_bytes_ = 0;  ///< number of bytes after the container's frames
  bool decodes_ = false, verify_ = false;
};

/// The codec of any pipeline on `device`.
template <device::Device Device>
std::unique_ptr<DeviceCodec> device_codec(Device device, const synth::Pipeline& pipeline,
                                          std::size_t word_bytes, std::size_t chunk_words) {
  const Header format = header_of(pipeline, word_bytes, chunk_words, 1);
  return with_program(format, [&](const auto& program) -> std::unique_ptr<DeviceCodec> {
    using Program = std::remove_cvref_t<decltype(program)>;
    return std::make_unique<DeviceCodecOn<Device, Program>>(std::move(device), format, program);
  });
}

}  // namespace fpsynth::codec
