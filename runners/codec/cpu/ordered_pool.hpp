#pragma once
// Slices, the unit of parallel work in the codec, made in parallel and taken in order.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {

/// Bytes of original data in a slice: enough to make handing out slices free, little enough to keep
/// all threads busy on a file of a few megabytes and to stay in cache until it is written.
inline constexpr std::size_t kSliceBytes = std::size_t{128} << 10;

/// Whole chunks in a slice: at least one.
inline std::size_t slice_chunks(std::size_t chunk_bytes) {
  return std::max<std::size_t>(1, kSliceBytes / chunk_bytes);
}

/// Threads to use where `wanted` were asked for (0: as many as OpenMP would) and there are `slices`
/// slices to share out.
inline int team_size(int wanted, std::uint64_t slices) {
  return static_cast<int>(std::clamp<std::uint64_t>(slices, 1, threads_for(wanted)));
}

/// How many slices may be made but not yet taken: slots for their results.
inline std::size_t slot_count(int threads) { return 8 * static_cast<std::size_t>(threads); }

/// Calls make(slice, slot, thread) for every slice in first..end-1, in parallel on `threads`
/// threads, and take(slice, slot) for every slice made, in order and one at a time, on any of the
/// threads. A slot (0..slot_count(threads)-1) is one slice's from its make() to its take(). No
/// thread waits for another but where all slots are full. If calls throw, throws what a plain loop
/// over make() and take() would have thrown, and takes no slice behind it.
void in_order(std::uint64_t first, std::uint64_t end, int threads,
              const std::function<void(std::uint64_t, std::size_t, std::size_t)>& make,
              const std::function<void(std::uint64_t, std::size_t)>& take);

/// Calls do_one(0) to do_one(count - 1) in any order on `threads` threads; do_one must not throw.
template <class Work>
void in_any_order(std::size_t count, int threads, const Work& do_one) {
  std::atomic<std::size_t> next = 0;
  on_threads(static_cast<std::size_t>(threads), [&](std::size_t) {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) do_one(i);
  });
}

}  // namespace fpsynth::codec
