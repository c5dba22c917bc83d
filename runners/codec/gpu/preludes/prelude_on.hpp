#pragma once
// The steps of preludes in a device's memory, by their shapes: what PreludeDriver does on the CPU.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "components/preludes/registry.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/gpu/preludes/prelude_kernels.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Runs steps on words of type W in device memory, which need not be aligned, and gives what
/// PreludeDriver gives. Side data come from the host's memory and go there. Allocates device memory
/// for them and for what a step needs beside its words (the hash table of DICT, up to 32 bytes a
/// word if most are distinct), and throws DeviceTooSmall if there is not enough. Statuses are those
/// of PreludeDriver. The device must outlive it.
template <device::Device Device, class W>
class PreludeOn {
 public:
  using Stream = typename Device::Stream;

  explicit PreludeOn(Device& device) : device_(device), launcher_(device) {}

  /// Maps the `n` words at `in` to `out`, which is apart from `in`, and sets `side`, which must be
  /// empty. The words may still be on their way when it returns.
  Status forward(Stream& stream, std::uint8_t kind, const std::byte* in, std::byte* out,
                 std::uint64_t n, std::uint64_t parameter, SideData<W>& side) {
    if (n == 0) return Status::Ok;
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      status = Status::Ok;
      if constexpr (Step::shape == preludes::Shape::Lagged) {
        launcher_.template difference<Step>(stream, in, out, n, parameter);
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        launcher_.map(stream, in, out, n, ForwardMap<Step>());
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        status = rank<Step>(stream, in, out, n, side);
      } else {
        status = except<Step>(stream, in, out, n, parameter, side);
      }
    });
    return status;
  }

  /// Restores `n` words in place. Words and side data may be anything; Damaged if forward() cannot
  /// have given them.
  Status backward(Stream& stream, std::uint8_t kind, std::byte* words, std::uint64_t n,
                  std::uint64_t parameter, const SideData<W>& side) {
    if (n == 0) return side.count == 0 ? Status::Ok : Status::Damaged;
    Status status = Status::BadCall;
    preludes::with_step(kind, [&]<class Step>() {
      status = Status::Ok;
      if constexpr (Step::shape == preludes::Shape::Lagged) {
        const auto sums = allocate<W>(launcher_.template sum_workspace<Step>(n, parameter));
        launcher_.template sum<Step>(stream, words, n, parameter, data(sums));
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        launcher_.map(stream, words, words, n, BackwardMap<Step>());
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        status = look_up<Step>(stream, words, n, side);
      } else {
        status = insert<Step>(stream, words, n, parameter, side);
      }
    });
    return status;
  }

 private:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  template <class T>
  static T* data(const Buffer<T>& buffer) {
    return const_cast<Buffer<T>&>(buffer).data();
  }

  template <class T>
  Buffer<T> allocate(std::uint64_t items) {
    const std::size_t free = device_.free_memory();
    if (items > free / sizeof(T)) refuse_prelude_memory(device_.name(), items * sizeof(T), free);
    return device_.template allocate<T>(items);
  }
  template <class T>
  Buffer<T> copy_of(Stream& stream, const T* items, std::size_t count) {
    Buffer<T> buffer = allocate<T>(count);
    device_.to_device(stream, buffer.data(), items, count);
    return buffer;
  }
  template <class T>
  T fetch(Stream& stream, const T* item) {
    T value{};
    device_.to_host(stream, &value, item, 1);
    device_.wait(stream);
    return value;
  }
  Buffer<std::uint32_t> no_fault(Stream& stream) {
    Buffer<std::uint32_t> fault = allocate<std::uint32_t>(1);
    device_.clear(stream, fault.data(), 1);
    return fault;
  }
  template <class T>
  static bool allocate_on_host(T*& items, std::size_t count) {
    items = static_cast<T*>(std::malloc(std::max<std::size_t>(count, 1) * sizeof(T)));
    return items != nullptr;
  }

  // Steps with exceptions.

  template <class Step>
  Status except(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
                std::uint64_t parameter, SideData<W>& side) {
    const double scale = Step::scale(parameter);
    const std::uint64_t tiles = (n + kExceptionTile - 1) / kExceptionTile;
    auto ends = allocate<std::uint64_t>(tiles);
    launcher_.template launch<ExceptKernel<Step, W>>(stream, tiles * 32,
                                                     {in, out, n, scale, ends.data()});
    // The counts become sums, as the words of a lagged step do.
    WordLauncher<Device, std::uint64_t> counts(device_);
    auto sums = allocate<std::uint64_t>(counts.template sum_workspace<preludes::LagSub>(tiles, 1));
    counts.template sum<preludes::LagSub>(stream, reinterpret_cast<std::byte*>(ends.data()), tiles,
                                          1, sums.data());
    const std::uint64_t count = fetch(stream, ends.data() + tiles - 1);
    if (count == 0) return Status::Ok;
    auto positions = allocate<std::uint64_t>(count);
    auto values = allocate<W>(count);
    launcher_.template launch<TakeExceptionsKernel<Step, W>>(
        stream, tiles * 32, {in, n, scale, ends.data(), positions.data(), values.data()});
    if (!allocate_on_host(side.positions, count) || !allocate_on_host(side.values, count)) {
      device_.wait(stream);
      return Status::NoMemory;
    }
    device_.to_host(stream, side.positions, positions.data(), count);
    device_.to_host(stream, side.values, values.data(), count);
    device_.wait(stream);
    side.count = count;
    return Status::Ok;
  }

  template <class Step>
  Status insert(Stream& stream, std::byte* words, std::uint64_t n, std::uint64_t parameter,
                const SideData<W>& side) {
    launcher_.map(stream, words, words, n, IntegerMap<Step>{Step::scale(parameter)});
    if (side.count == 0) return Status::Ok;
    const auto positions = copy_of(stream, side.positions, side.count);
    const auto values = copy_of(stream, side.values, side.count);
    const auto fault = no_fault(stream);
    launcher_.template launch<AscendingKernel<std::uint64_t>>(
        stream, side.count, {data(positions), side.count, data(fault)});
    launcher_.template launch<PlaceKernel<W>>(
        stream, side.count, {words, n, data(positions), data(values), side.count, data(fault)});
    return fetch(stream, data(fault)) ? Status::Damaged : Status::Ok;
  }

  // Steps by rank.

  template <class Step>
  Status rank(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
              SideData<W>& side) {
    const Status status = collect_keys<Step>(stream, in, n, side);
    if (status != Status::Ok) return status;
    std::sort(side.values, side.values + side.count);
    const auto keys = copy_of(stream, side.values, side.count);
    launcher_.template launch<RankKernel<Step, W>>(stream, n, {in, out, n, data(keys), side.count});
    device_.wait(stream);
    return Status::Ok;
  }
  /// Sets `side` to the distinct keys of the words, in any order.
  template <class Step>
  Status collect_keys(Stream& stream, const std::byte* in, std::uint64_t n, SideData<W>& side) {
    auto found = allocate<std::uint64_t>(4);  // the table's three words, and ListKeysKernel's
    // A small table is in the device's cache; one of twice the words is never too small.
    const unsigned largest = unsigned(std::bit_width(std::max<std::uint64_t>(2 * n, 32) - 1));
    for (unsigned bits = std::min(kFewestBits, largest);; bits = std::min(bits + 4, largest)) {
      const std::uint64_t count = std::uint64_t{1} << bits;
      auto slots = allocate<std::uint64_t>(count);
      launcher_.template launch<FreeSlotsKernel>(stream, count, {slots.data(), count});
      device_.clear(stream, found.data(), 4);
      const std::uint64_t probes = bits == largest ? count : std::min(count, kMostProbes);
      const KeyTable table{slots.data(),    bits, count / 2, probes, found.data(), found.data() + 1,
                           found.data() + 2};
      launcher_.template launch<CollectKeysKernel<Step, W>>(stream, n, {in, n, table});
      std::uint64_t words[3];
      device_.to_host(stream, words, found.data(), 3);
      device_.wait(stream);
      if (words[2] != 0 && bits == largest) return Status::DeviceFailed;
      if (words[2] != 0) continue;
      const std::uint64_t keys = words[0];
      auto list = allocate<W>(keys);
      launcher_.template launch<ListKeysKernel<W>>(
          stream, count, {slots.data(), count, found.data() + 3, list.data()});
      if (!allocate_on_host(side.values, keys + 1)) {
        device_.wait(stream);
        return Status::NoMemory;
      }
      device_.to_host(stream, side.values, list.data(), keys);
      device_.wait(stream);
      side.count = keys;
      if (words[1] != 0) side.values[side.count++] = W(KeyTable::kFree);
      return Status::Ok;
    }
  }

  template <class Step>
  Status look_up(Stream& stream, std::byte* words, std::uint64_t n, const SideData<W>& side) {
    if (side.count == 0) return Status::Damaged;
    const auto keys = copy_of(stream, side.values, side.count);
    const auto fault = no_fault(stream);
    launcher_.template launch<AscendingKernel<W>>(stream, side.count,
                                                  {data(keys), side.count, data(fault)});
    launcher_.template launch<LookUpKernel<Step, W>>(
        stream, n, {words, n, data(keys), side.count, data(fault)});
    return fetch(stream, data(fault)) ? Status::Damaged : Status::Ok;
  }

  /// The first table has 2^16 slots, half a MiB. A table that is not the largest counts as too
  /// small if a key needs more probes.
  static constexpr unsigned kFewestBits = 16;
  static constexpr std::uint64_t kMostProbes = 4096;

  Device& device_;
  WordLauncher<Device, W> launcher_;
};

}  // namespace fpsynth::codec
