#pragma once
// The cuda team: one thread block of up to 1024 threads.

#include <cstddef>
#include <cstdint>

#include "components/teams/lanes.hpp"

namespace fpsynth::teams {

/// To be made by every thread of a block of `Lanes` threads, with the same arena. Every member is
/// called by all of them; barrier() synchronizes them, phase() does not.
template <std::size_t Lanes>
class CudaTeam : public LaneTeam<CudaTeam<Lanes>> {
 public:
  __device__ static constexpr std::size_t lanes() { return Lanes; }

  /// `arena`: memory of the block's own (shared or global), 16-byte aligned, for shared(); a stage
  /// on n items takes at most kArenaPerItem * n + kArenaBase bytes.
  __device__ explicit CudaTeam(std::byte* arena) : next_(arena) {}
  static constexpr std::size_t kArenaPerItem = 64, kArenaBase = 4096;

  template <class F>
  __device__ void phase(F f) {
    f(std::size_t(threadIdx.x));
  }
  __device__ void barrier() { __syncthreads(); }
  template <class T>
  __device__ T* shared(std::size_t items) {
    T* const memory = reinterpret_cast<T*>(next_);
    next_ += (items * sizeof(T) + 15) / 16 * 16;
    return memory;
  }
  __device__ void atomic_xor(std::uint64_t* word, std::uint64_t bits) {
    atomicXor(reinterpret_cast<unsigned long long*>(word), bits);
  }
  __device__ void atomic_or(std::uint64_t* word, std::uint64_t bits) {
    atomicOr(reinterpret_cast<unsigned long long*>(word), bits);
  }

 private:
  std::byte* next_;
};

}  // namespace fpsynth::teams
