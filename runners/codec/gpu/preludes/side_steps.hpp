#pragma once
// The steps of preludes that have side data, in a device's memory.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "components/preludes/lag.hpp"
#include "components/preludes/shape.hpp"
#include "runners/codec/format/copies.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/preludes/divide_kernels.hpp"
#include "runners/codec/gpu/preludes/gather_kernel.hpp"
#include "runners/codec/gpu/preludes/prelude_kernels.hpp"
#include "runners/codec/gpu/preludes/prelude_memory.hpp"
#include "runners/codec/gpu/preludes/rank_kernels.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// SideData in device memory.
template <device::Device Device, class W>
struct SideBuffers {
  typename Device::template Buffer<W> values;
  typename Device::template Buffer<std::uint64_t> positions;  ///< empty: there are none
  std::uint64_t count = 0;
  preludes::Divisors divisors{};
  typename Device::template Buffer<std::uint32_t> selectors;
  std::uint64_t selector_words = 0;
};

/// Runs steps on words of type W in device memory, which need not be aligned. Calls wait for the
/// stream. They allocate device memory for side data and for what a step needs beside its words
/// (the hash table of DICT, up to 32 bytes a word if most are distinct), and throw DeviceUnsuitable
/// if there is not enough. The host sorts the keys of DICT, and looks for the copies of MATCH, in
/// its own memory. The device must outlive it.
template <device::Device Device, class W>
class SideSteps {
 public:
  using Stream = typename Device::Stream;
  using Side = SideBuffers<Device, W>;

  explicit SideSteps(Device& device) : device_(device), launcher_(device) {}

  /// Maps the `n` words at `in` to `out`, which is apart from `in` or, for steps by rank, may be
  /// `in`, and sets `side`, which must be empty but for
  /// the step's divisors. Ok, or NoMemory of the host.
  template <class Step>
  Status forward(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
                 std::uint64_t parameter, Side& side) {
    if (n == 0) return Status::Ok;
    if constexpr (Step::shape == preludes::Shape::Ranked) {
      return rank<Step>(stream, in, out, n, side);
    } else if constexpr (kMatched<Step>) {
      return take_copies<Step>(stream, in, out, n, side);
    } else if constexpr (kDivided<Step>) {
      divide<Step>(stream, in, out, n, parameter, side);
      return Status::Ok;
    } else {
      if constexpr (kSelected<Step>) select<Step>(stream, in, n, parameter, side);
      except<Step>(stream, in, out, n, scales_of<Step>(parameter, side), side);
      return Status::Ok;
    }
  }

  /// Restores `n` words in place. Words and side data may be anything; Damaged if forward() cannot
  /// have given them.
  template <class Step>
  Status backward(Stream& stream, std::byte* words, std::uint64_t n, std::uint64_t parameter,
                  const Side& side) {
    if (n == 0) {
      return side.count == 0 && side.selector_words == 0 ? Status::Ok : Status::Damaged;
    }
    constexpr bool kRanked = Step::shape == preludes::Shape::Ranked;
    if (kRanked && side.count == 0) return Status::Damaged;
    if (kSelected<Step> && side.selector_words != selector_words(n, parameter)) {
      return Status::Damaged;
    }
    if constexpr (kMatched<Step>) return gather<Step>(stream, words, n, side);
    if constexpr (kDivided<Step>) {
      if (side.count != block_count(n, parameter)) return Status::Damaged;
      launcher_.map(stream, words, words, n,
                    DivideMap<Step, W, true>{shift_of(parameter), side.values.data()});
      device_.wait(stream);
      return Status::Ok;
    }
    auto fault = allocate<std::uint32_t>(1);
    device_.clear(stream, fault.data(), 1);
    if constexpr (kRanked) {
      look_up<Step>(stream, words, n, side, fault.data());
    } else if constexpr (preludes::has_exceptions(Step::shape)) {
      if constexpr (kSelected<Step>) {
        launcher_.template launch<AtMostKernel>(
            stream, side.selector_words * sizeof(std::uint32_t),
            {bytes_of(side), side.selector_words * sizeof(std::uint32_t),
             std::uint32_t(side.divisors.count), fault.data()});
      }
      insert<Step>(stream, words, n, scales_of<Step>(parameter, side), side, fault.data());
    }
    return fetch(device_, stream, fault.data()) ? Status::Damaged : Status::Ok;
  }

 private:
  template <class T>
  auto allocate(std::uint64_t items) {
    return allocate_for_prelude<T>(device_, items);
  }

  // Steps that take out copies.

  template <class Step>
  static constexpr bool kMatched = Step::shape == preludes::Shape::Matched;

  template <class Step>
  Status take_copies(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
                     Side& side) {
    const std::unique_ptr<W[]> words(new (std::nothrow) W[n]);
    if (!words) return Status::NoMemory;
    auto* const bytes = reinterpret_cast<std::byte*>(words.get());
    device_.to_host(stream, bytes, in, n * sizeof(W));
    device_.wait(stream);
    SideMemory<W> found;
    const Status status = CopyTaker<Device, W, Step>::run(bytes, bytes, std::size_t(n), found.data);
    if (status != Status::Ok) return status;
    device_.to_device(stream, out, bytes, n * sizeof(W));
    side.selector_words = found.data.selector_words;
    side.selectors = allocate<std::uint32_t>(side.selector_words);
    device_.to_device(stream, side.selectors.data(), found.data.selectors, side.selector_words);
    device_.wait(stream);
    return Status::Ok;
  }
  template <class Step>
  Status gather(Stream& stream, std::byte* words, std::uint64_t n, const Side& side) {
    const std::uint64_t count = side.selector_words;
    if (count > 3 * n) return Status::Damaged;
    const std::unique_ptr<std::uint32_t[]> numbers(new (std::nothrow) std::uint32_t[count + 1]);
    if (!numbers) return Status::NoMemory;
    device_.to_host(stream, numbers.get(), side.selectors.data(), count);
    device_.wait(stream);
    Segments<Device, Step> segments;
    const Status status = segments.read(numbers.get(), count, n);
    if (status != Status::Ok || segments.count() == 1) return status;
    using Segment = typename Step::Segment;
    auto on_device = allocate<Segment>(segments.count());
    device_.to_device(stream, on_device.data(), segments.data(), segments.count());
    auto literals = allocate<W>(segments.literals());
    auto* const apart = reinterpret_cast<std::byte*>(literals.data());
    device_.copy(stream, apart, words, segments.literals() * sizeof(W));
    launcher_.template launch<GatherKernel<Step, W>>(
        stream, n, {apart, words, n, on_device.data(), segments.count()});
    device_.wait(stream);
    return Status::Ok;
  }

  // Steps by blocks. Their words are a power of two.

  template <class Step>
  static constexpr bool kDivided = Step::shape == preludes::Shape::Divided;

  static std::uint32_t shift_of(std::uint64_t block) {
    return std::uint32_t(std::countr_zero(block));
  }
  template <class Step>
  void divide(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
              std::uint64_t block, Side& side) {
    side.count = block_count(n, block);
    side.values = allocate<W>(side.count);
    launcher_.template launch<DivisorKernel<Step, W>>(stream, side.count * 32,
                                                      {in, n, shift_of(block), side.values.data()});
    launcher_.map(stream, in, out, n,
                  DivideMap<Step, W, false>{shift_of(block), side.values.data()});
    device_.wait(stream);
  }

  // Steps with exceptions.

  template <class Step>
  static constexpr bool kSelected = Step::shape == preludes::Shape::Selected;

  static std::uint8_t* bytes_of(const Side& side) {
    return reinterpret_cast<std::uint8_t*>(const_cast<std::uint32_t*>(side.selectors.data()));
  }
  template <class Step>
  static auto scales_of(std::uint64_t parameter, const Side& side) {
    if constexpr (kSelected<Step>) {
      BlockScales scales{{}, bytes_of(side), shift_of(parameter)};
      for (std::size_t selector = 0; selector <= side.divisors.count; ++selector) {
        scales.scales[selector] = Step::scale(side.divisors, selector);
      }
      return scales;
    } else {
      return OneScale{Step::scale(parameter)};
    }
  }
  template <class Step>
  void select(Stream& stream, const std::byte* in, std::uint64_t n, std::uint64_t parameter,
              Side& side) {
    side.selector_words = selector_words(n, parameter);
    side.selectors = allocate<std::uint32_t>(side.selector_words);
    device_.clear(stream, side.selectors.data(), side.selector_words);
    launcher_.template launch<SelectKernel<Step, W>>(
        stream, block_count(n, parameter) * 32,
        {in, n, side.divisors, bytes_of(side), shift_of(parameter)});
  }

  template <class Step, class Scales>
  void except(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
              const Scales& scales, Side& side) {
    const std::uint64_t tiles = (n + kExceptionTile - 1) / kExceptionTile;
    auto ends = allocate<std::uint64_t>(tiles);
    launcher_.template launch<ExceptKernel<Step, W, Scales>>(stream, tiles * 32,
                                                             {in, out, n, scales, ends.data()});
    // The counts become sums, as the words of a lagged step do.
    WordLauncher<Device, std::uint64_t> counts(device_);
    auto sums = allocate<std::uint64_t>(counts.template sum_workspace<preludes::LagSub>(tiles, 1));
    counts.template sum<preludes::LagSub>(stream, reinterpret_cast<std::byte*>(ends.data()), tiles,
                                          1, sums.data());
    const std::uint64_t count = fetch(device_, stream, ends.data() + tiles - 1);
    if (count == 0) return;
    side.positions = allocate<std::uint64_t>(count);
    side.values = allocate<W>(count);
    side.count = count;
    launcher_.template launch<TakeExceptionsKernel<Step, W, Scales>>(
        stream, tiles * 32,
        {in, n, scales, ends.data(), side.positions.data(), side.values.data()});
    device_.wait(stream);
  }

  template <class Step, class Scales>
  void insert(Stream& stream, std::byte* words, std::uint64_t n, const Scales& scales,
              const Side& side, std::uint32_t* fault) {
    launcher_.template launch<FromIntegersKernel<Step, W, Scales>>(stream, n, {words, n, scales});
    if (side.count == 0) return;
    const std::uint64_t* const positions = side.positions.data();
    launcher_.template launch<AscendingKernel<std::uint64_t>>(stream, side.count,
                                                              {positions, side.count, fault});
    launcher_.template launch<PlaceKernel<W>>(
        stream, side.count, {words, n, positions, side.values.data(), side.count, fault});
  }

  // Steps by rank.

  template <class Step>
  Status rank(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n, Side& side) {
    std::unique_ptr<W[]> keys;
    const Status status = collect_keys<Step>(stream, in, n, keys, side.count);
    if (status != Status::Ok) return status;
    std::sort(keys.get(), keys.get() + side.count);
    side.values = allocate<W>(side.count);
    device_.to_device(stream, side.values.data(), keys.get(), side.count);
    launcher_.map(stream, in, out, n, RankMap<Step, W>{side.values.data(), side.count});
    device_.wait(stream);
    return Status::Ok;
  }
  /// Copies the distinct keys of the words, in any order, to the host.
  template <class Step>
  Status collect_keys(Stream& stream, const std::byte* in, std::uint64_t n,
                      std::unique_ptr<W[]>& keys, std::uint64_t& key_count) {
    auto found = allocate<std::uint64_t>(4);  // the table's three words, and ListKeysKernel's
    // A small table is in the device's cache; one of twice the words is never too small.
    const unsigned largest = unsigned(std::bit_width(std::max<std::uint64_t>(2 * n, 32) - 1));
    for (unsigned bits = std::min(kFewestBits, largest);; bits = std::min(bits + 4, largest)) {
      const std::uint64_t count = std::uint64_t{1} << bits;
      auto slots = allocate<std::uint64_t>(count);
      device_.clear(stream, slots.data(), count);  // to kFree
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
      key_count = words[0];
      auto list = allocate<W>(key_count);
      launcher_.template launch<ListKeysKernel<W>>(
          stream, count, {slots.data(), count, found.data() + 3, list.data()});
      keys.reset(new (std::nothrow) W[key_count + 1]);
      if (keys) device_.to_host(stream, keys.get(), list.data(), key_count);
      device_.wait(stream);
      if (!keys) return Status::NoMemory;
      if (words[1] != 0) keys[key_count++] = W(KeyTable::kFree);
      return Status::Ok;
    }
  }

  template <class Step>
  void look_up(Stream& stream, std::byte* words, std::uint64_t n, const Side& side,
               std::uint32_t* fault) {
    const W* const keys = side.values.data();
    launcher_.template launch<AscendingKernel<W>>(stream, side.count, {keys, side.count, fault});
    launcher_.template launch<LookUpKernel<Step, W>>(stream, n,
                                                     {words, n, keys, side.count, fault});
  }

  /// The first table has 2^16 slots, half a MiB. A table that is not the largest counts as too
  /// small if a key needs more probes.
  static constexpr unsigned kFewestBits = 16;
  static constexpr std::uint64_t kMostProbes = 4096;

  Device& device_;
  WordLauncher<Device, W> launcher_;
};

}  // namespace fpsynth::codec
