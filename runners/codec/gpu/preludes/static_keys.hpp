#pragma once
// Keys of steps by rank, for static preludes in a device's memory. The host, which sorts keys,
// makes of them what is compressed, and the device compresses it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "components/preludes/key_integers.hpp"
#include "components/preludes/shape.hpp"
#include "components/type_list.hpp"
#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/preludes/prelude_memory.hpp"
#include "runners/codec/gpu/preludes/side_steps.hpp"
#include "runners/codec/gpu/preludes/static_side.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// StaticListsOn of lists in the host's memory, for the keys of words of type W.
template <device::Device Device, class W>
class KeyListsOn : StaticListsOn<Device> {
  using OnDevice = StaticListsOn<Device>;
  using OnDevice::device_;
  using OnDevice::stream_;

 public:
  using Steps = SideSteps<Device, W>;
  static constexpr bool kDecodes = true;

  template <class... Args>
  KeyListsOn(Steps& steps, Device& device, Args&&... args)
      : OnDevice(device, std::forward<Args>(args)...), steps_(steps) {}
  using OnDevice::damaged;
  using OnDevice::holds;
  using OnDevice::load;
  using OnDevice::store;

  template <class T, class Pipeline = SidePipeline<T>>
  Status encode(std::size_t at, const T* values, std::size_t count, std::size_t& written) {
    return OnDevice::template encode<T, Pipeline>(at, to_device(values, count), count, written);
  }
  /// Decodes to memory of malloc(), which the caller frees in any case.
  template <class T, class Pipeline = SidePipeline<T>>
  Status decode(std::size_t at, std::size_t bytes, std::size_t most, T*& values,
                std::size_t& count) {
    typename OnDevice::template Values<T> decoded;
    std::uint64_t found = 0;
    const Status status = OnDevice::template decode<T, Pipeline>(at, bytes, most, decoded, found);
    if (status != Status::Ok) return status;
    count = std::size_t(found);
    return to_host(decoded.data(), count, values);
  }
  template <class Step>
  Status rank(std::byte* words, std::size_t count, SideData<W>& side) {
    auto on_device = to_device(reinterpret_cast<const W*>(words), count);
    auto* const bytes = reinterpret_cast<std::byte*>(on_device.data());
    SideBuffers<Device, W> ranked;
    Status status = steps_.template forward<Step>(stream_, bytes, bytes, count, 0, ranked);
    if (status != Status::Ok) return status;
    device_.to_host(stream_, words, bytes, count * sizeof(W));
    side.count = std::size_t(ranked.count);
    return to_host(ranked.values.data(), side.count, side.values);
  }
  template <class Step>
  Status unrank(std::byte* words, std::size_t count, const SideData<W>& side) {
    auto on_device = to_device(reinterpret_cast<const W*>(words), count);
    auto* const bytes = reinterpret_cast<std::byte*>(on_device.data());
    SideBuffers<Device, W> ranked;
    ranked.count = side.count;
    ranked.values = to_device(side.values, side.count);
    const Status status = steps_.template backward<Step>(stream_, bytes, count, 0, ranked);
    device_.to_host(stream_, words, bytes, count * sizeof(W));
    device_.wait(stream_);
    return status;
  }

 private:
  template <class T>
  auto to_device(const T* values, std::size_t count) {
    auto buffer = allocate_for_prelude<T>(device_, count);
    device_.to_device(stream_, buffer.data(), values, count);
    device_.wait(stream_);
    return buffer;
  }
  template <class T>
  Status to_host(const T* from, std::size_t count, T*& values) {
    values = static_cast<T*>(std::malloc((count + 1) * sizeof(T)));
    if (!values) return Status::NoMemory;
    device_.to_host(stream_, values, from, count);
    device_.wait(stream_);
    return Status::Ok;
  }

  Steps& steps_;
};

/// Codes the keys of SideBuffers. Calls wait for the stream, and allocate memory of the device and
/// of the host for the keys and for what they become; they throw DeviceUnsuitable if there is not
/// enough on the device.
template <device::Device Device, class W>
class StaticKeysOn {
 public:
  using Stream = typename Device::Stream;
  using Steps = SideSteps<Device, W>;

  StaticKeysOn(Device& device, Steps& steps) : device_(device), steps_(steps) {}

  /// Bytes of the workspace of a call for steps on `words` words.
  std::size_t workspace_bytes(std::size_t words) {
    const std::size_t selectors = selector_words(words, preludes::KeyIntegers<W>::kBlock);
    return std::max({workspace_of<SidePipeline<W>>(words * sizeof(W)),
                     workspace_of<SidePipeline<std::uint32_t>>(selectors * sizeof(std::uint32_t)),
                     workspace_of_all(words * sizeof(W), KeyPipelines<W>())});
  }

  /// Writes the keys to `out`, where there must be Coding::bound() bytes, and sets `written`.
  Status encode(Stream& stream, const SideBuffers<Device, W>& side, const SideWorkspace& at,
                std::byte* out, std::size_t& written) {
    const auto count = std::size_t(side.count);
    const std::unique_ptr<W[]> values(new (std::nothrow) W[count + 1]);
    if (!values) return Status::NoMemory;
    device_.to_host(stream, values.get(), side.values.data(), count);
    device_.wait(stream);
    SideData<W> keys;
    keys.values = values.get();
    keys.count = count;
    auto coded = allocate_for_prelude<std::byte>(device_, Coding::bound_of_all(count));
    KeyListsOn<Device, W> lists(steps_, device_, stream, at, coded.data());
    const Status status = Coding::encode(lists, keys, written);
    if (status != Status::Ok) return status;
    device_.copy(stream, out, coded.data(), written);
    device_.wait(stream);
    return Status::Ok;
  }

  /// Reads coded[0..bytes), which may hold anything, for steps on `words` words.
  Status decode(Stream& stream, const std::byte* coded, std::size_t bytes, std::size_t words,
                const SideWorkspace& at, SideBuffers<Device, W>& side) {
    SideMemory<W> keys;
    KeyListsOn<Device, W> lists(steps_, device_, stream, at, nullptr, coded, bytes);
    const Status status = Coding::decode(lists, bytes, words, keys.data);
    if (status != Status::Ok) return status;
    side.count = keys.data.count;
    side.values = allocate_for_prelude<W>(device_, side.count);
    device_.to_device(stream, side.values.data(), keys.data.values, side.count);
    device_.wait(stream);
    return Status::Ok;
  }

 private:
  using Coding = SideCoding<preludes::Shape::Ranked, W>;

  template <class Pipeline>
  std::size_t workspace_of(std::size_t bytes) {
    return StaticDeviceCodec<Device, Pipeline>(device_).workspace_bytes(bytes);
  }
  template <class... Pipelines>
  std::size_t workspace_of_all(std::size_t bytes, components::TypeList<Pipelines...>) {
    return std::max({workspace_of<Pipelines>(bytes)...});
  }

  Device& device_;
  Steps& steps_;
};

}  // namespace fpsynth::codec
