#pragma once
// The steps of preludes in a device's memory, by their shapes: what PreludeTable does on the CPU.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "components/preludes/registry.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/preludes/prelude_memory.hpp"
#include "runners/codec/gpu/preludes/side_steps.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Runs steps on words of type W in device memory, which need not be aligned, and gives what
/// PreludeTable gives. Side data come from the host's memory and go there; for these steps
/// SideSteps says what else they need, and throws. Statuses are those of PreludeTable. The device
/// must outlive it.
template <device::Device Device, class W>
class PreludeOn {
 public:
  using Stream = typename Device::Stream;

  explicit PreludeOn(Device& device) : device_(device), launcher_(device), side_steps_(device) {}

  /// Maps the `n` words at `in` to `out`, which is apart from `in`, and sets `side`, which must be
  /// empty but for the step's divisors. The words may still be on their way when it returns.
  Status forward(Stream& stream, std::uint8_t kind, const std::byte* in, std::byte* out,
                 std::uint64_t n, std::uint64_t parameter, SideData<W>& side) {
    if (n == 0) return Status::Ok;
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      if constexpr (preludes::has_side_data<Step>) {
        SideBuffers<Device, W> buffers;
        buffers.divisors = side.divisors;
        status = side_steps_.template forward<Step>(stream, in, out, n, parameter, buffers);
        if (status == Status::Ok) status = fetch_side(stream, buffers, side);
      } else {
        launcher_.template forward<Step>(stream, in, out, n, parameter);
        status = Status::Ok;
      }
    });
    return status;
  }

  /// Restores `n` words in place. Words and side data may be anything; Damaged if forward() cannot
  /// have given them.
  Status backward(Stream& stream, std::uint8_t kind, std::byte* words, std::uint64_t n,
                  std::uint64_t parameter, const SideData<W>& side) {
    if (n == 0) {
      return side.count == 0 && side.selector_words == 0 ? Status::Ok : Status::Damaged;
    }
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      if constexpr (preludes::has_side_data<Step>) {
        SideBuffers<Device, W> buffers;
        buffers.values = copy_of(stream, side.values, side.count);
        if (side.positions) buffers.positions = copy_of(stream, side.positions, side.count);
        buffers.count = side.count;
        buffers.divisors = side.divisors;
        buffers.selectors = copy_of(stream, side.selectors, side.selector_words);
        buffers.selector_words = side.selector_words;
        status = side_steps_.template backward<Step>(stream, words, n, parameter, buffers);
      } else {
        auto sums = allocate_for_prelude<W>(
            device_, launcher_.template backward_workspace<Step>(n, parameter));
        launcher_.template backward<Step>(stream, words, n, parameter, sums.data());
        status = Status::Ok;
      }
    });
    return status;
  }

 private:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  template <class T>
  Buffer<T> copy_of(Stream& stream, const T* items, std::size_t count) {
    Buffer<T> buffer = allocate_for_prelude<T>(device_, count);
    device_.to_device(stream, buffer.data(), items, count);
    return buffer;
  }
  Status fetch_side(Stream& stream, const SideBuffers<Device, W>& buffers, SideData<W>& side) {
    if (buffers.selector_words > 0) {
      if (!allocate_on_host(side.selectors, buffers.selector_words)) return Status::NoMemory;
      device_.to_host(stream, side.selectors, buffers.selectors.data(), buffers.selector_words);
      device_.wait(stream);
      side.selector_words = buffers.selector_words;
    }
    if (buffers.count == 0) return Status::Ok;
    const bool positions = buffers.positions.size() > 0;
    if (!allocate_on_host(side.values, buffers.count) ||
        (positions && !allocate_on_host(side.positions, buffers.count))) {
      return Status::NoMemory;
    }
    device_.to_host(stream, side.values, buffers.values.data(), buffers.count);
    if (positions) device_.to_host(stream, side.positions, buffers.positions.data(), buffers.count);
    device_.wait(stream);
    side.count = buffers.count;
    return Status::Ok;
  }
  template <class T>
  static bool allocate_on_host(T*& items, std::size_t count) {
    items = static_cast<T*>(std::malloc(std::max<std::size_t>(count, 1) * sizeof(T)));
    return items != nullptr;
  }

  Device& device_;
  WordLauncher<Device, W> launcher_;
  SideSteps<Device, W> side_steps_;
};

}  // namespace fpsynth::codec
