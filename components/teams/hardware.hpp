#pragma once
// The concept Hardware: the operations that device code requires of the processor that runs it.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// One lane's view of its thread block and of the launch. Device code is a template on it, so that
/// the same code runs on a GPU (CudaHardware) and, lane by lane in shuffled order, in tests on the
/// host (EmulatedHardware). It costs nothing to copy.
///
///   lanes(), lane()              how many lanes the block has; which one this is
///   warp_lanes()                 lanes of a warp: 32, or 1 in a block of one lane
///   block(), blocks()            which block of the launch this is; how many there are
///   shared()                     the block's shared memory, aligned to 16 bytes
///   barrier(), any(bool)         called by all lanes of the block; any() is true if a lane
///                                passes true
///   warp_barrier()               called by all lanes of a warp, as are all the following
///   ballot(bool)                 bit k is the argument of lane k
///   reduce(op, v)                words::Plus, Xor or Max of 32-bit values over the warp's lanes
///   shuffle(v, k)                the value of lane k of the warp; v has 8 to 64 bits
///   shuffle_up(v, d)             the value of the lane d below in the warp (below the first: v)
///   shuffle_xor(v, m)            the value of the lane whose number differs in the bits of m
///
/// and, called by any lane, on words of shared or global memory:
///
///   atomic_xor, atomic_or, atomic_add, atomic_max(word, v)
///                                relaxed; atomic_add returns the previous value
///   atomic_load(word), atomic_store(word, v)
///                                relaxed, on 64 bits
///   pause()                      called in a loop that waits for another thread block
template <class H>
concept Hardware = requires(H hardware, const H same, words::Plus plus, words::Xor exclusive,
                            words::Max max, bool flag, std::uint8_t byte, std::uint32_t number,
                            std::uint64_t wide, std::uint32_t* word, std::uint64_t* wide_word) {
  { same.lanes() } -> std::same_as<std::uint32_t>;
  { same.lane() } -> std::same_as<std::uint32_t>;
  { same.warp_lanes() } -> std::same_as<std::uint32_t>;
  { same.block() } -> std::same_as<std::uint32_t>;
  { same.blocks() } -> std::same_as<std::uint32_t>;
  { same.shared() } -> std::same_as<std::byte*>;
  hardware.barrier();
  { hardware.any(flag) } -> std::same_as<bool>;
  hardware.warp_barrier();
  { hardware.ballot(flag) } -> std::same_as<std::uint32_t>;
  { hardware.reduce(plus, number) } -> std::same_as<std::uint32_t>;
  { hardware.reduce(exclusive, number) } -> std::same_as<std::uint32_t>;
  { hardware.reduce(max, number) } -> std::same_as<std::uint32_t>;
  { hardware.shuffle(byte, number) } -> std::same_as<std::uint8_t>;
  { hardware.shuffle(wide, number) } -> std::same_as<std::uint64_t>;
  { hardware.shuffle_up(number, number) } -> std::same_as<std::uint32_t>;
  { hardware.shuffle_up(wide, number) } -> std::same_as<std::uint64_t>;
  { hardware.shuffle_xor(number, number) } -> std::same_as<std::uint32_t>;
  { hardware.shuffle_xor(wide, number) } -> std::same_as<std::uint64_t>;
  hardware.atomic_xor(word, number);
  hardware.atomic_or(word, number);
  { hardware.atomic_add(word, number) } -> std::same_as<std::uint32_t>;
  { hardware.atomic_add(wide_word, wide) } -> std::same_as<std::uint64_t>;
  hardware.atomic_max(wide_word, wide);
  { hardware.atomic_load(wide_word) } -> std::same_as<std::uint64_t>;
  hardware.atomic_store(wide_word, wide);
  hardware.pause();
};

/// A Hardware without definitions. Kernels and programs are checked against it, because they must
/// run on any Hardware.
struct DeclaredHardware {
  std::uint32_t lanes() const, lane() const, warp_lanes() const, block() const, blocks() const;
  std::byte* shared() const;
  void barrier();
  bool any(bool);
  void warp_barrier();
  std::uint32_t ballot(bool);
  template <class Op>
  std::uint32_t reduce(Op, std::uint32_t);
  template <class T>
  T shuffle(T, std::uint32_t);
  template <class T>
  T shuffle_up(T, std::uint32_t);
  template <class T>
  T shuffle_xor(T, std::uint32_t);
  void atomic_xor(std::uint32_t*, std::uint32_t), atomic_or(std::uint32_t*, std::uint32_t);
  template <class T>
  T atomic_add(T*, T);
  std::uint64_t atomic_load(const std::uint64_t*);
  void atomic_max(std::uint64_t*, std::uint64_t), atomic_store(std::uint64_t*, std::uint64_t);
  void pause();
};
static_assert(Hardware<DeclaredHardware>);

}  // namespace fpsynth::teams
