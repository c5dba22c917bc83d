#pragma once
// Steps of static preludes that have side data, in a device's memory: the device compresses side
// data, too.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "runners/codec/format/side_coding.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/preludes/prelude_memory.hpp"
#include "runners/codec/gpu/preludes/side_steps.hpp"
#include "runners/codec/gpu/static_codec.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// Device memory for a call: a workspace, and a word for its result.
struct SideWorkspace {
  std::byte* workspace;
  std::uint64_t* result;
};

/// Lists for SideCoding, in a device's memory. Calls wait for the stream, and what they allocate is
/// for no more values than may be decoded; they throw DeviceUnsuitable if there is not enough
/// memory.
template <device::Device Device>
class StaticListsOn {
 public:
  using Stream = typename Device::Stream;
  template <class T>
  using Values = typename Device::template Buffer<T>;
  /// `out`: where side data are written; there must be SideCoding::bound() bytes. `in`, `bytes`:
  /// what is read.
  StaticListsOn(Device& device, Stream& stream, const SideWorkspace& at, std::byte* out,
                const std::byte* in = nullptr, std::size_t bytes = 0)
      : device_(device), stream_(stream), at_(at), out_(out), in_(in), bytes_(bytes) {}

  template <class T, class Pipeline = SidePipeline<T>>
  Status encode(std::size_t at, const Values<T>& values, std::size_t count, std::size_t& written) {
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    const Status status = StaticDeviceCodec<Device, Pipeline>(device_).compress(
        stream_, from, count * sizeof(T), out_ + at, at_.result, at_.workspace);
    if (status == Status::Ok) written = std::size_t(fetch(device_, stream_, at_.result));
    return status;
  }
  template <class T, class Pipeline>
  bool holds(std::size_t at, std::size_t bytes) {
    std::size_t size = 0;
    StaticDeviceCodec<Device, Pipeline> codec(device_);
    return codec.original_size(stream_, in_ + at, bytes, size) == Status::Ok;
  }
  template <class T, class Pipeline = SidePipeline<T>>
  Status decode(std::size_t at, std::size_t bytes, std::size_t most, Values<T>& values,
                std::uint64_t& count) {
    StaticDeviceCodec<Device, Pipeline> codec(device_);
    std::size_t size = 0;
    if (codec.original_size(stream_, in_ + at, bytes, size) != Status::Ok ||
        !count_list<T>(size, most, count)) {
      return Status::Damaged;
    }
    values = allocate_for_prelude<T>(device_, count);
    auto* const result = reinterpret_cast<int*>(at_.result);
    const Status status =
        codec.decompress(stream_, in_ + at, bytes, reinterpret_cast<std::byte*>(values.data()),
                         size, result, at_.workspace);
    return status == Status::Ok ? Status(fetch(device_, stream_, result)) : status;
  }
  Status store(std::size_t at, const std::uint64_t* numbers, std::size_t count) {
    device_.to_device(stream_, out_ + at, reinterpret_cast<const std::byte*>(numbers),
                      count * sizeof *numbers);
    device_.wait(stream_);
    return Status::Ok;
  }
  Status load(std::size_t at, std::uint64_t* numbers, std::size_t count) {
    device_.to_host(stream_, reinterpret_cast<std::byte*>(numbers), in_ + at,
                    count * sizeof *numbers);
    device_.wait(stream_);
    return Status::Ok;
  }
  static Status damaged(const char*) { return Status::Damaged; }

 protected:
  Device& device_;
  Stream& stream_;

 private:
  SideWorkspace at_;
  std::byte* out_;
  const std::byte* in_;
  std::size_t bytes_;
};

/// Codes the keys of steps by rank; defined in a header of its own.
template <device::Device Device, class W>
class StaticKeysOn;

/// Steps with side data on words of type W. The device must outlive it.
template <device::Device Device, class W>
class StaticSideOn {
 public:
  using Stream = typename Device::Stream;

  explicit StaticSideOn(Device& device) : device_(device), steps_(device) {}

  /// Bytes of the workspace of a call.
  template <class Step>
  std::size_t workspace_bytes(std::size_t words) {
    if constexpr (!preludes::has_side_data<Step>) return 0;
    if constexpr (Step::shape == preludes::Shape::Ranked) {
      return StaticKeysOn<Device, W>(device_, steps_).workspace_bytes(words);
    }
    std::size_t most = std::max(workspace_of<W>(words), workspace_of<std::uint64_t>(words));
    if constexpr (Step::shape == preludes::Shape::Selected) {
      most = std::max(
          most, workspace_of<std::uint32_t>(selector_words(words, Step::template range<W>.least)));
    }
    if constexpr (Step::shape == preludes::Shape::Matched) {
      most = std::max(most, workspace_of<std::uint32_t>(most_copy_numbers(words)));
    }
    return most;
  }

  /// Maps the words, as SideSteps does, and writes the side data to `out`.
  template <class Step>
  Status forward(Stream& stream, const std::byte* in, std::byte* to, std::uint64_t count,
                 std::uint64_t parameter, const preludes::Divisors& divisors,
                 const SideWorkspace& at, std::byte* out, std::size_t& written) {
    SideBuffers<Device, W> side;
    side.divisors = divisors;
    const Status status = steps_.template forward<Step>(stream, in, to, count, parameter, side);
    if (status != Status::Ok) return status;
    if constexpr (Step::shape == preludes::Shape::Ranked) {
      return StaticKeysOn<Device, W>(device_, steps_).encode(stream, side, at, out, written);
    } else {
      StaticListsOn<Device> lists(device_, stream, at, out);
      return SideCoding<Step::shape, W>::encode(lists, side, written);
    }
  }
  /// Restores the words in place with side[0..bytes), which may hold anything.
  template <class Step>
  Status backward(Stream& stream, const std::byte* side, std::size_t bytes, std::byte* words,
                  std::uint64_t count, std::uint64_t parameter, const SideWorkspace& at) {
    SideBuffers<Device, W> decoded;
    const auto most = std::size_t(count);
    Status status = Status::Ok;
    if constexpr (Step::shape == preludes::Shape::Ranked) {
      status =
          StaticKeysOn<Device, W>(device_, steps_).decode(stream, side, bytes, most, at, decoded);
    } else {
      StaticListsOn<Device> lists(device_, stream, at, nullptr, side, bytes);
      status = SideCoding<Step::shape, W>::decode(lists, bytes, most, decoded);
    }
    if (status != Status::Ok) return status;
    return steps_.template backward<Step>(stream, words, count, parameter, decoded);
  }

  /// The item at a place in device memory, for which it waits.
  template <class T>
  T fetch(Stream& stream, const T* item) {
    return codec::fetch(device_, stream, item);
  }
  /// The status of a call, none of whose work is left in the stream then. Callers without
  /// exceptions can tell NoMemory from a failure of the device.
  template <class Work>
  Status done(Stream& stream, const Work& work) {
    Status status = Status::NoMemory;
    try {
      status = work();
    } catch (const device::DeviceUnsuitable&) {
    }
    device_.wait(stream);
    return status;
  }

 private:
  template <class T>
  std::size_t workspace_of(std::size_t count) {
    return StaticDeviceCodec<Device, SidePipeline<T>>(device_).workspace_bytes(count * sizeof(T));
  }

  Device& device_;
  SideSteps<Device, W> steps_;
};

}  // namespace fpsynth::codec
