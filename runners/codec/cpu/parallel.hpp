#pragma once
// Parallel work of codecs that throw.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {

/// How many slices may be made but not yet taken: buffers for their results.
inline std::size_t buffer_count(int threads) { return 8 * static_cast<std::size_t>(threads); }

/// Calls make(slice, buffer, thread) for every slice in first..end-1, in parallel on `threads`
/// threads, and take(slice, buffer) for every slice made, in order and one at a time, on any of the
/// threads: OrderedPool, with exceptions. A buffer (0..buffer_count(threads)-1) is one slice's from
/// its make() to its take(). If calls throw, throws what a plain loop over make() and take() would
/// have thrown, and takes no slice behind it.
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
