#pragma once
// Slices: the unit of parallel work in the codec.

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace fpsynth::codec {

/// Bytes of original data in a slice: enough to make handing out slices free, little enough to keep
/// all threads busy on a file of a few megabytes.
inline constexpr std::size_t kSliceBytes = std::size_t{128} << 10;
/// Bytes of original data in a batch: what is in memory at once.
inline constexpr std::size_t kBatchBytes = std::size_t{32} << 20;

/// Whole chunks in a slice: at least one.
inline std::size_t slice_chunks(std::size_t chunk_bytes) {
  return std::max<std::size_t>(1, kSliceBytes / chunk_bytes);
}

/// Threads to use where `wanted` were asked for (0: one per processor) and there are `slices`
/// slices to share out.
inline int team_size(int wanted, std::uint64_t slices) {
  const int most = wanted > 0 ? wanted : omp_get_max_threads();
  return static_cast<int>(std::clamp<std::uint64_t>(slices, 1, static_cast<std::uint64_t>(most)));
}

/// Calls body(index, thread) for every index in 0..count-1, in parallel on `threads` threads, and
/// meanwhile aside() once on one of them. Returns when all are done; if calls threw, throws what
/// the call with the lowest index threw (aside() counts as the first), so that errors do not depend
/// on the number of threads; calls not yet begun may then be left out.
template <typename Body, typename Aside>
void parallel_slices(std::size_t count, int threads, const Body& body, const Aside& aside) {
  std::exception_ptr error;
  std::size_t error_rank = count + 1;  // aside() has rank 0, body(i) rank i + 1
  const auto guarded = [&](std::size_t rank, const auto& call) {
    std::size_t failed;
#pragma omp atomic read
    failed = error_rank;
    if (rank > failed) return;
    try {
      call();
    } catch (...) {
#pragma omp critical(fpsynth_parallel_slices)
      if (rank < error_rank) {
        error = std::current_exception();
#pragma omp atomic write
        error_rank = rank;
      }
    }
  };
#pragma omp parallel num_threads(threads)
  {
#pragma omp single nowait
    guarded(0, aside);
#pragma omp for schedule(dynamic, 1)
    for (std::size_t i = 0; i < count; ++i) {
      guarded(i + 1, [&] { body(i, static_cast<std::size_t>(omp_get_thread_num())); });
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace fpsynth::codec
