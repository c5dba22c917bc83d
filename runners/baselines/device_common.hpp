#pragma once
// What the baselines on a device share: times, growing buffers, and prefix sums.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::baselines {

/// Seconds of a call, measured by the device's clock. Transfers use pageable memory.
struct DeviceTimes {
  double kernel = 0, to_device = 0, to_host = 0;

  /// Adds the times of a batch: copied to the device from `start` to `uploaded`, processed from
  /// `uploaded` to `done`, copied back from `downloading` to `downloaded`.
  template <device::Device Device, class Event>
  void add(Device& device, const Event& start, const Event& uploaded, const Event& done,
           const Event& downloading, const Event& downloaded) {
    to_device += device.seconds(start, uploaded);
    kernel += device.seconds(uploaded, done);
    to_host += device.seconds(downloading, downloaded);
  }
};

/// Throws DeviceError: the device has too little memory for even the smallest piece of work.
[[noreturn]] void refuse_memory(std::string_view device, std::string_view what, std::size_t needed,
                                std::size_t free);
/// Throws DeviceError: the device reports a file as damaged that the CPU decodes.
[[noreturn]] void refuse_device(std::string_view device, std::string_view file);

/// 16 bytes that one instruction moves.
struct alignas(16) Aligned16 {
  std::uint32_t words[4];
};

/// Exclusive prefix sum: replaces each of counts[0..n-1] by the sum of those before it, and sets
/// counts[n] to the sum of all. Runs as one thread block, whose lanes take four neighbours each. It
/// reads and writes 8 bytes per count, which is negligible compared with computing the counts.
struct SumsBody {
  static constexpr std::uint32_t kLanes = 1024;
  static constexpr std::size_t kSharedBytes = 2 * 32 * sizeof(std::uint64_t);
  struct Args {
    std::uint64_t* counts;
    std::uint32_t n;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    constexpr std::uint32_t kEach = 4;
    const std::uint32_t warps = hw.lanes() / 32, warp = hw.lane() / 32, in_warp = hw.lane() % 32;
    // Two sets of sums take turns, so that one barrier is enough: a slow lane may still read the
    // previous set.
    std::uint64_t* sums = reinterpret_cast<std::uint64_t*>(hw.shared());
    std::uint64_t base = 0;
    for (std::uint32_t first = 0, turn = 0; first < args.n;
         first += kEach * hw.lanes(), turn ^= 1) {
      std::uint64_t counts[kEach], mine = 0;
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const std::uint32_t at = first + kEach * hw.lane() + i;
        counts[i] = at < args.n ? args.counts[at] : 0;
        mine += counts[i];
      }
      std::uint64_t upto = mine;
      for (std::uint32_t d = 1; d < 32; d *= 2) {
        const std::uint64_t below = hw.shuffle_up(upto, d);
        if (in_warp >= d) upto += below;
      }
      if (in_warp == 31) sums[32 * turn + warp] = upto;
      hw.barrier();
      std::uint64_t before = base + upto - mine;
      for (std::uint32_t w = 0; w < warps; ++w) {
        if (w < warp) before += sums[32 * turn + w];
        base += sums[32 * turn + w];
      }
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const std::uint32_t at = first + kEach * hw.lane() + i;
        if (at < args.n) args.counts[at] = before;
        before += counts[i];
      }
    }
    if (hw.lane() == 0) args.counts[args.n] = base;
  }
};

/// Grows a buffer to at least `items` items. Its contents are lost if it grows.
template <device::Device Device, class Buffer>
void grow(Device& device, Buffer& buffer, std::size_t items) {
  using Item = std::remove_cvref_t<decltype(*buffer.data())>;
  if (buffer.size() >= items) return;
  buffer = Buffer();  // frees before it allocates
  buffer = device.template allocate<Item>(items);
}

/// Number of thread blocks of a kernel whose warps divide `items` among them: no more than there is
/// work for, and no more than the device runs at once. Call it before the kernel's time starts.
template <class Body, device::Device Device>
std::uint32_t blocks_for(Device& device, std::uint32_t items) {
  const std::uint32_t most =
      std::max(1u, device.template resident_blocks<Body>(Body::kSharedBytes));
  return std::min(most, (items + Body::kLanes / 32 - 1) / (Body::kLanes / 32));
}

/// Calls f(item) for each of a warp's share of `items`.
template <teams::Hardware Hardware, class F>
FPSYNTH_INLINE void for_warp_items(Hardware hw, std::uint32_t items, F f) {
  const std::uint32_t warps = hw.lanes() / 32, step = hw.blocks() * warps;
  for (std::uint32_t i = hw.block() * warps + hw.lane() / 32; i < items; i += step) f(i);
}

/// The sum over the lanes of a warp, returned to all of them.
template <teams::Hardware Hardware, class T>
FPSYNTH_INLINE T warp_sum(Hardware hw, T value) {
  for (std::uint32_t d = 1; d < 32; d *= 2) value += hw.shuffle_xor(value, d);
  return value;
}

}  // namespace fpsynth::baselines
