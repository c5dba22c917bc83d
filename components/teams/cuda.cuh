#pragma once
// The Hardware of BlockTeam on an NVIDIA GPU.

#include <cstddef>
#include <cstdint>
#include <cuda/atomic>
#include <type_traits>

#include "components/teams/block.hpp"

namespace fpsynth::teams {

/// The view of a thread in a block of `Lanes` threads (a multiple of 32). Costs nothing to copy.
template <std::uint32_t Lanes>
class CudaHardware {
  static_assert(Lanes % 32 == 0 && Lanes >= 32 && Lanes <= 1024);
  static constexpr std::uint32_t kWarp = 0xffffffff;

 public:
  __device__ static constexpr std::uint32_t lanes() { return Lanes; }
  __device__ static constexpr std::uint32_t warp_lanes() { return 32; }
  __device__ static std::uint32_t lane() { return threadIdx.x; }
  __device__ static std::uint32_t block() { return blockIdx.x; }
  __device__ static std::uint32_t blocks() { return gridDim.x; }
  /// The block's dynamic shared memory, 16-byte aligned.
  __device__ static std::byte* shared() {
    extern __shared__ __align__(16) std::byte memory[];
    return memory;
  }

  /// A block of one warp needs none of the block's barriers.
  __device__ static void barrier() {
    if constexpr (Lanes == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ static bool any(bool value) {
    if constexpr (Lanes == 32) {
      return ballot(value) != 0;
    } else {
      return __syncthreads_or(value);
    }
  }
  __device__ static void warp_barrier() { __syncwarp(); }
  __device__ static std::uint32_t ballot(bool value) { return __ballot_sync(kWarp, value); }
  template <class Op>
  __device__ static std::uint32_t reduce(Op op, std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Op, words::Plus>) {
      return __reduce_add_sync(kWarp, value);
    } else if constexpr (std::is_same_v<Op, words::Max>) {
      return __reduce_max_sync(kWarp, value);
    } else {
      static_assert(std::is_same_v<Op, words::Xor>);
      return __reduce_xor_sync(kWarp, value);
    }
#else
    for (std::uint32_t d = 1; d < 32; d *= 2) value = op(value, shuffle_xor(value, d));
    return value;
#endif
  }
  template <class T>
  __device__ static T shuffle(T value, std::uint32_t from) {
    return T(__shfl_sync(kWarp, widened(value), int(from)));
  }
  template <class T>
  __device__ static T shuffle_up(T value, std::uint32_t distance) {
    return T(__shfl_up_sync(kWarp, widened(value), distance));
  }
  template <class T>
  __device__ static T shuffle_xor(T value, std::uint32_t mask) {
    return T(__shfl_xor_sync(kWarp, widened(value), int(mask)));
  }

  /// Relaxed, on shared or global memory. atomic_add returns the previous value.
  __device__ static void atomic_xor(std::uint32_t* word, std::uint32_t bits) {
    atomicXor(word, bits);
  }
  __device__ static void atomic_or(std::uint32_t* word, std::uint32_t bits) {
    atomicOr(word, bits);
  }
  __device__ static std::uint32_t atomic_add(std::uint32_t* word, std::uint32_t value) {
    return atomicAdd(word, value);
  }
  __device__ static std::uint64_t atomic_add(std::uint64_t* word, std::uint64_t value) {
    return atomicAdd(reinterpret_cast<unsigned long long*>(word), value);
  }
  __device__ static void atomic_max(std::uint64_t* word, std::uint64_t value) {
    atomicMax(reinterpret_cast<unsigned long long*>(word), value);
  }
  __device__ static std::uint64_t atomic_load(const std::uint64_t* word) {
    return Word(*const_cast<std::uint64_t*>(word)).load(cuda::memory_order_relaxed);
  }
  __device__ static void atomic_store(std::uint64_t* word, std::uint64_t value) {
    Word(*word).store(value, cuda::memory_order_relaxed);
  }

  /// Called in a loop that waits for another thread block.
  __device__ static void pause() { __nanosleep(20); }

 private:
  using Word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;

  /// Shuffles move 32 or 64 bits.
  __device__ static std::uint32_t widened(std::uint8_t value) { return value; }
  __device__ static std::uint32_t widened(std::uint16_t value) { return value; }
  __device__ static std::uint32_t widened(std::uint32_t value) { return value; }
  __device__ static unsigned long long widened(std::uint64_t value) { return value; }
};
static_assert(Hardware<CudaHardware<32>>);

}  // namespace fpsynth::teams
