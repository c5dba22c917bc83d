#pragma once
// DeviceCodec on any kind of device.

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runners/codec/device_codec.hpp"
#include "runners/codec/format/errors.hpp"
#include "runners/codec/gpu/checksum/content_hash.hpp"
#include "runners/codec/gpu/header_kernel.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "runners/codec/gpu/program_of.hpp"
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
        hash_(device_.template allocate<std::uint64_t>(1)),
        host_(device_.template allocate_host<std::uint64_t>(LaunchWords::kCount + 1)),
        host_bytes_(device_.template allocate_host<std::byte>(
            std::max(HeaderKernel::kMostBytes, frames_.bytes()))) {}

  std::size_t bound(std::size_t bytes) const override { return frames_.layout(bytes).bound(); }
  std::size_t workspace_bytes(std::size_t bytes) const override {
    return launcher_.workspace_bytes(bytes / format_.word_bytes) + 8 * hash_words(bytes);
  }
  void reserve(std::size_t bytes) override {
    device_.use();
    reserve_workspace(bytes);
    reserve_sums(bytes);
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
    if (!checksum) hash(original, bytes);
    header.checksum = checksum.value_or(0);
    middle_ = device_.record(stream_);
    write_header(header, original + bytes - layout.tail_bytes, !checksum, container);
    if (layout.words > 0) {
      launcher_.encode(stream_, workspace_, original, layout.words, container + layout.frames_at,
                       container + layout.blocks_at, capacity - layout.blocks_at);
      launcher_.fetch(stream_, workspace_, host_.data());
    }
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
    if (layout.words > 0) {
      launcher_.decode(stream_, workspace_, container_ + layout.frames_at,
                       container_ + layout.blocks_at, block_bytes_, layout.words, original);
      launcher_.fetch(stream_, workspace_, host_.data());
    }
    restore_tail(layout, original + layout.original_bytes - layout.tail_bytes);
    middle_ = device_.record(stream_);
    if (verify) {
      hash(original, header.original_bytes);
      device_.to_host(stream_, host_.data() + LaunchWords::kCount, hash_.data(), 1);
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

  void reserve_workspace(std::size_t bytes) {
    const std::uint64_t words = bytes / format_.word_bytes;
    if (words <= reserved_words_) return;
    workspace_ = {};
    reserved_words_ = 0;
    workspace_ = launcher_.workspace(words);
    reserved_words_ = words;
  }
  void reserve_sums(std::size_t bytes) {
    if (hash_words(bytes) > sums_.size()) {
      sums_ = {};
      sums_ = device_.template allocate<std::uint64_t>(hash_words(bytes));
    }
  }

  void begin(const Header& header, void* stream, bool decodes) {
    device_.use();
    reserve_workspace(header.original_bytes);
    header_ = header;
    decodes_ = decodes;
    stream_ = Device::borrowed(stream);
    std::fill_n(host_.data(), host_.size(), 0);
    begin_ = device_.record(stream_);
  }
  void wait() {
    device_.use();
    device_.wait(stream_);
  }

  /// Computes the checksum of in[0..bytes) into hash_.
  void hash(const std::byte* in, std::size_t bytes) {
    reserve_sums(bytes);
    launch_hash(device_, stream_, in, bytes, sums_.data(), hash_.data());
  }

  void write_header(const Header& header, const std::byte* tail, bool hashed, std::byte* out) {
    HeaderKernel::Args args{};
    const std::vector<std::byte> bytes = serialize(header);
    std::copy(bytes.begin(), bytes.end(), args.header);
    args.bytes = static_cast<std::uint32_t>(bytes.size());
    args.checksum = hashed ? hash_.data() : nullptr;
    args.tail_bytes = static_cast<std::uint32_t>(header.tail_bytes());
    args.tail = tail;
    args.out = out;
    device_.template launch<HeaderKernel>(stream_, 1, 0, args);
  }
  void restore_tail(const ContainerLayout& layout, std::byte* out) {
    if (layout.tail_bytes == 0) return;
    HeaderKernel::Args args{};
    args.tail_bytes = static_cast<std::uint32_t>(layout.tail_bytes);
    args.tail = container_ + layout.shape.header_bytes;
    args.out = out;
    device_.template launch<HeaderKernel>(stream_, 1, 0, args);
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
  ChunkLauncher<Device, Program> launcher_;
  typename ChunkLauncher<Device, Program>::Workspace workspace_;
  std::uint64_t reserved_words_ = 0;
  typename Device::template Buffer<std::uint64_t> hash_, sums_;
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

/// The format that a codec is for. Throws Error if no container can hold it, before anything relies
/// on it.
inline Header format_of(const synth::Pipeline& pipeline, std::size_t word_bytes,
                        std::size_t chunk_words) {
  Header format;
  format.pipeline = pipeline;
  format.word_bytes = word_bytes;
  format.chunk_words = static_cast<std::uint32_t>(chunk_words);
  format.original_bytes = 1;
  serialize(format);
  return format;
}

/// The codec of any pipeline on `device`.
template <device::Device Device>
std::unique_ptr<DeviceCodec> device_codec(Device device, const synth::Pipeline& pipeline,
                                          std::size_t word_bytes, std::size_t chunk_words) {
  const Header format = format_of(pipeline, word_bytes, chunk_words);
  return with_program(format, [&](const auto& program) -> std::unique_ptr<DeviceCodec> {
    using Program = std::remove_cvref_t<decltype(program)>;
    return std::make_unique<DeviceCodecOn<Device, Program>>(std::move(device), format, program);
  });
}

}  // namespace fpsynth::codec
