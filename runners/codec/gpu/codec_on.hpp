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
#include "runners/codec/format/damage.hpp"
#include "runners/codec/gpu/errors.hpp"
#include "runners/codec/gpu/header_kernel.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "runners/codec/gpu/program_of.hpp"
#include "runners/codec/gpu/xxh3_launch.hpp"
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

/// `Program` is made for `format`.
template <device::Device Device, ProgramSizes Program>
class DeviceCodecOn : public DeviceCodec {
 public:
  /// `format`: pipeline, word size and chunk length; the rest of it is not looked at.
  DeviceCodecOn(Device device, const Header& format, const Program& program)
      : device_(std::move(device)),
        format_(format),
        layout_(format.pipeline, format.word_bytes, format.chunk_words),
        launcher_(device_, program),
        hash_(device_.template allocate<std::uint64_t>(1)),
        host_(device_.template allocate_host<std::uint64_t>(LaunchWords::kCount + 1)),
        host_bytes_(device_.template allocate_host<std::byte>(
            std::max(HeaderKernel::kMostBytes, layout_.bytes()))) {}

  std::size_t bound(std::size_t bytes) const override {
    const Header header = header_of(bytes);
    return blocks_at(header) + header.chunks() * launcher_.worst_block();
  }
  std::size_t workspace_bytes(std::size_t bytes) const override {
    return launcher_.workspace_bytes(bytes / format_.word_bytes) + 8 * hash_words(bytes);
  }
  void reserve(std::size_t bytes) override {
    device_.use();
    reserve_workspace(bytes);
    reserve_sums(bytes);
  }

  void encode(const void* in, std::size_t bytes, void* out, std::size_t room, void* stream,
              std::optional<std::uint64_t> checksum) override {
    if (bytes == 0) throw Error("there is nothing to compress in 0 bytes");
    Header header = header_of(bytes);
    if (room < blocks_at(header)) {
      refuse_room(room, blocks_at(header), bound(bytes));
    }
    const auto* const original = static_cast<const std::byte*>(in);
    auto* const container = static_cast<std::byte*>(out);
    room_ = room;
    begin(header, stream, false);
    if (!checksum) hash(original, bytes);
    header.checksum = checksum.value_or(0);
    middle_ = device_.record(stream_);
    write_front(header, original + bytes - header.tail_bytes(), !checksum, container);
    if (header.words() > 0) {
      launcher_.encode(stream_, workspace_, original, header.words(), container + frames_at(header),
                       container + blocks_at(header), room - blocks_at(header));
      launcher_.fetch(stream_, workspace_, host_.data());
    }
    end_ = device_.record(stream_);
  }
  std::size_t finish_encode() override {
    wait();
    const std::size_t needed = blocks_at(header_) + *found().bytes();
    if (*found().fault()) {
      refuse_room(room_, needed, bound(header_.original_bytes));
    }
    return needed;
  }

  Header header(const void* in, std::size_t bytes, void* stream) override {
    device_.use();
    stream_ = Device::borrowed(stream);
    const std::size_t front = std::min(bytes, header_bytes(std::size_t{kMostStages}));
    device_.to_host(stream_, host_bytes_.data(), static_cast<const std::byte*>(in), front);
    wait();
    return parse_header({host_bytes_.data(), front}, kName);
  }
  void decode(const void* in, std::size_t bytes, const Header& header, void* out, void* stream,
              bool verify) override {
    refuse_other_format(header, format_);
    // Else a forged size would have frames read that are not there.
    const std::size_t overhead = frames_at(header);
    if (bytes < overhead || header.chunks() > (bytes - overhead) / layout_.bytes()) {
      damage::refuse(kName, damage::too_short(bytes, header));
    }
    container_ = static_cast<const std::byte*>(in);
    auto* const original = static_cast<std::byte*>(out);
    verify_ = verify;
    begin(header, stream, true);
    trailing_ = bytes - blocks_at(header);  // if there is no chunk
    if (header.words() > 0) {
      launcher_.decode(stream_, workspace_, container_ + overhead, container_ + blocks_at(header),
                       trailing_, header.words(), original);
      launcher_.fetch(stream_, workspace_, host_.data());
    }
    restore_tail(header, original + header.original_bytes - header.tail_bytes());
    middle_ = device_.record(stream_);
    if (verify) {
      hash(original, header.original_bytes);
      device_.to_host(stream_, host_.data() + LaunchWords::kCount, hash_.data(), 1);
    }
    end_ = device_.record(stream_);
  }
  void finish_decode() override {
    wait();
    if (const std::uint64_t fault = *found().fault()) refuse_fault(fault);
    if (trailing_ > *found().bytes()) {
      damage::refuse(kName, damage::trailing(trailing_ - *found().bytes()));
    }
    if (!verify_) return;
    const std::uint64_t checksum = host_.data()[LaunchWords::kCount];
    if (checksum != header_.checksum) {
      damage::refuse(kName, damage::checksum(header_, checksum));
    }
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

  Header header_of(std::size_t bytes) const {
    Header header = format_;
    header.original_bytes = bytes;
    return header;
  }
  static std::size_t frames_at(const Header& header) {
    return header_bytes(header.pipeline) + header.tail_bytes();
  }
  std::size_t blocks_at(const Header& header) const {
    return frames_at(header) + header.chunks() * layout_.bytes();
  }
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

  /// Puts the checksum of in[0..bytes) into hash_.
  void hash(const std::byte* in, std::size_t bytes) {
    reserve_sums(bytes);
    launch_hash(device_, stream_, in, bytes, sums_.data(), hash_.data());
  }

  void write_front(const Header& header, const std::byte* tail, bool hashed, std::byte* out) {
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
  void restore_tail(const Header& header, std::byte* out) {
    if (header.tail_bytes() == 0) return;
    HeaderKernel::Args args{};
    args.tail_bytes = static_cast<std::uint32_t>(header.tail_bytes());
    args.tail = container_ + header_bytes(header.pipeline);
    args.out = out;
    device_.template launch<HeaderKernel>(stream_, 1, 0, args);
  }

  [[noreturn]] void refuse_fault(std::uint64_t fault) {
    const std::uint64_t chunk = FaultWord::chunk(fault);
    switch (FaultWord::kind(fault)) {
      case FaultKind::Frame:
        damage::refuse(kName, frame_damage(chunk));
      case FaultKind::End:
        damage::refuse(kName, damage::end(header_, chunk));
      case FaultKind::Trailing:
        damage::refuse(kName, damage::trailing(trailing_ - *found().bytes()));
      case FaultKind::Block:
        break;
    }
    damage::refuse(kName, damage::block(header_, chunk));
  }
  std::string frame_damage(std::uint64_t chunk) {
    std::array<components::Extent, synth::kMaxStages> all;
    const std::span extents(all.data(), format_.pipeline.stages.size());
    device_.to_host(stream_, host_bytes_.data(),
                    container_ + frames_at(header_) + chunk * layout_.bytes(), layout_.bytes());
    wait();
    layout_.read(host_bytes_.data(), header_.words_of(chunk), extents);
    return damage::frame(header_, chunk, extents);
  }

  Device device_;
  Header format_;
  FrameLayout layout_;
  ChunkLauncher<Device, Program> launcher_;
  typename ChunkLauncher<Device, Program>::Workspace workspace_;
  std::uint64_t reserved_words_ = 0;
  typename Device::template Buffer<std::uint64_t> hash_, sums_;
  typename Device::template HostBuffer<std::uint64_t> host_;    ///< LaunchWords, and a checksum
  typename Device::template HostBuffer<std::byte> host_bytes_;  ///< a header or a frame

  // Of the call under way.
  Header header_;
  typename Device::Stream stream_;
  typename Device::Event begin_, middle_, end_;
  const std::byte* container_ = nullptr;
  std::size_t room_ = 0;
  std::uint64_t trailing_ = 0;  ///< what the container has behind its frames
  bool decodes_ = false, verify_ = false;
};

/// What a codec is made for. Throws Error where the container cannot hold it, before anything
/// relies on it.
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
