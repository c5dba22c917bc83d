#pragma once
// Side data of preludes in containers of version 3, in a device's memory, for static codecs: the
// device compresses them, too.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "runners/codec/format/side_pipeline.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/format/wire.hpp"
#include "runners/codec/gpu/preludes/prelude_memory.hpp"
#include "runners/codec/gpu/preludes/side_steps.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Device memory for a call: a workspace, and a word for its result.
struct SideWorkspace {
  std::byte* workspace;
  std::uint64_t* result;
};

/// Lists of integers of type T in containers of their own. Calls wait for the stream.
template <device::Device Device, class T>
class StaticValuesOn {
 public:
  using Codec = StaticDeviceCodec<Device, SidePipeline<T>>;
  using Stream = typename Device::Stream;
  using Values = typename Device::template Buffer<T>;

  explicit StaticValuesOn(Device& device) : device_(device), codec_(device) {}

  /// A capacity that is enough for `count` values; 0 if no memory is that large.
  static std::size_t bound(std::size_t count) {
    return count > SIZE_MAX / sizeof(T) ? 0 : Codec::bound(count * sizeof(T));
  }
  std::size_t workspace_bytes(std::size_t count) {
    return codec_.workspace_bytes(count * sizeof(T));
  }

  /// Writes `count` values to out[0..bound(count)) and sets `written`.
  Status encode(Stream& stream, const Values& values, std::size_t count, std::byte* out,
                std::size_t& written, const SideWorkspace& at) {
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    const Status status =
        codec_.compress(stream, from, count * sizeof(T), out, at.result, at.workspace);
    if (status == Status::Ok) written = std::size_t(fetch(device_, stream, at.result));
    return status;
  }
  /// Decodes in[0..bytes), which may hold anything, to memory that it allocates. Returns Damaged if
  /// there are more than `most` values, before it allocates anything.
  Status decode(Stream& stream, const std::byte* in, std::size_t bytes, std::size_t most,
                Values& values, std::uint64_t& count, const SideWorkspace& at) {
    std::size_t size = 0;
    if (codec_.original_size(stream, in, bytes, size) != Status::Ok || size % sizeof(T) != 0 ||
        size / sizeof(T) > most) {
      return Status::Damaged;
    }
    count = size / sizeof(T);
    values = allocate_for_prelude<T>(device_, count);
    auto* const result = reinterpret_cast<int*>(at.result);
    const Status status = codec_.decompress(
        stream, in, bytes, reinterpret_cast<std::byte*>(values.data()), size, result, at.workspace);
    return status == Status::Ok ? Status(fetch(device_, stream, result)) : status;
  }

 private:
  Device& device_;
  Codec codec_;
};

/// The side data of steps of a shape on words of type W. Calls wait for the stream, and what they
/// allocate is for no more values than there are words; they throw DeviceUnsuitable if there is not
/// enough memory. The device must outlive it.
template <preludes::Shape shape, device::Device Device, class W>
class StaticSideOn;

/// The keys.
template <device::Device Device, class W>
class StaticSideOn<preludes::Shape::Ranked, Device, W> {
 public:
  using Keys = StaticValuesOn<Device, W>;
  using Stream = typename Device::Stream;
  using Side = SideBuffers<Device, W>;

  explicit StaticSideOn(Device& device) : keys_(device) {}

  /// A capacity that is enough for the side data of `words` words; 0 if no memory is that large.
  static std::size_t bound(std::size_t words) { return Keys::bound(words); }
  /// Bytes of the workspace of a call.
  std::size_t workspace_bytes(std::size_t words) { return keys_.workspace_bytes(words); }
  /// Writes them to out[0..bound(words)) and sets `written`.
  Status encode(Stream& stream, const Side& side, std::byte* out, std::size_t& written,
                const SideWorkspace& at) {
    return keys_.encode(stream, side.values, side.count, out, written, at);
  }
  /// Decodes in[0..bytes), which may hold anything.
  Status decode(Stream& stream, const std::byte* in, std::size_t bytes, std::size_t words,
                Side& side, const SideWorkspace& at) {
    return keys_.decode(stream, in, bytes, words, side.values, side.count, at);
  }

 private:
  Keys keys_;
};

/// If there are exceptions: the length of their positions' container, that container, and the
/// container of their words.
template <device::Device Device, class W>
class StaticSideOn<preludes::Shape::Excepted, Device, W> {
 public:
  using Positions = StaticValuesOn<Device, std::uint64_t>;
  using Words = StaticValuesOn<Device, W>;
  using Stream = typename Device::Stream;
  using Side = SideBuffers<Device, W>;
  static constexpr std::size_t kLengthBytes = 8;

  explicit StaticSideOn(Device& device) : device_(device), positions_(device), words_(device) {}

  static std::size_t bound(std::size_t words) {
    const std::size_t positions = Positions::bound(words), values = Words::bound(words);
    const bool fits = positions > 0 && values > 0 && positions <= SIZE_MAX - kLengthBytes &&
                      values <= SIZE_MAX - kLengthBytes - positions;
    return fits ? kLengthBytes + positions + values : 0;
  }
  std::size_t workspace_bytes(std::size_t words) {
    return std::max(positions_.workspace_bytes(words), words_.workspace_bytes(words));
  }
  Status encode(Stream& stream, const Side& side, std::byte* out, std::size_t& written,
                const SideWorkspace& at) {
    written = 0;
    if (side.count == 0) return Status::Ok;
    std::byte* const from = out + kLengthBytes;
    std::size_t positions = 0, values = 0;
    Status status = positions_.encode(stream, side.positions, side.count, from, positions, at);
    if (status != Status::Ok) return status;
    status = words_.encode(stream, side.values, side.count, from + positions, values, at);
    if (status != Status::Ok) return status;
    std::byte length[kLengthBytes];
    store(length, std::uint64_t{positions});
    device_.to_device(stream, out, length, kLengthBytes);
    device_.wait(stream);
    written = kLengthBytes + positions + values;
    return Status::Ok;
  }
  Status decode(Stream& stream, const std::byte* in, std::size_t bytes, std::size_t words,
                Side& side, const SideWorkspace& at) {
    if (bytes == 0) return Status::Ok;
    if (bytes < kLengthBytes) return Status::Damaged;
    std::byte start[kLengthBytes];
    read_start(device_, stream, in, bytes, start);
    const std::uint64_t length = load<std::uint64_t>(start);
    if (length > bytes - kLengthBytes) return Status::Damaged;
    const std::byte* const values = in + kLengthBytes + length;
    std::uint64_t positions = 0;
    Status status = positions_.decode(stream, in + kLengthBytes, std::size_t(length), words,
                                      side.positions, positions, at);
    if (status != Status::Ok) return status;
    status = words_.decode(stream, values, std::size_t(in + bytes - values), words, side.values,
                           side.count, at);
    if (status != Status::Ok) return status;
    return positions > 0 && positions == side.count ? Status::Ok : Status::Damaged;
  }

 private:
  Device& device_;
  Positions positions_;
  Words words_;
};

}  // namespace fpsynth::codec
