#pragma once
// The Hardware of BlockTeam (block.hpp) on the host, so that device code can be tested without a
// GPU. Every lane is a fiber that runs to its next barrier or warp operation; the lanes that can
// continue do so in random order. A lane that reads what another one writes without a barrier in
// between therefore reads the wrong value, as it may on a device. Lanes that wait at different
// barriers, which would hang a device, are an error.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "components/teams/block.hpp"

namespace fpsynth::teams {

/// A launch: `blocks` blocks, all resident at once, of `lanes` lanes (1, or a multiple of 32 up to
/// 1024), each block with `shared_bytes` of memory, filled with garbage.
struct EmulatedShape {
  std::uint32_t blocks = 1, lanes = 32;
  std::size_t shared_bytes = 0;
  std::uint32_t seed = 1;  ///< of the lanes' order
  /// shuffle_xor() then loses the lowest bit: what such hardware transposes does not decode.
  bool faulty_shuffles = false;
};

/// The view of one lane. Valid only inside the kernel to which it is passed.
class EmulatedHardware {
 public:
  struct Lane;
  explicit EmulatedHardware(Lane* self) : self_(self) {}

  std::uint32_t lanes() const;
  std::uint32_t warp_lanes() const { return lanes() < 32 ? 1 : 32; }
  std::uint32_t lane() const;
  std::uint32_t block() const;
  std::uint32_t blocks() const;
  std::byte* shared() const;

  void barrier() { any(false); }
  bool any(bool value);
  void warp_barrier() { exchange(Operation::WarpBarrier, 0, lane_in_warp()); }
  std::uint32_t ballot(bool value);
  template <class Op>
  std::uint32_t reduce(Op op, std::uint32_t value) {
    exchange(Operation::Reduce, value, lane_in_warp());
    std::uint32_t result = 0;
    for (std::uint32_t k = 0; k < warp_lanes(); ++k) {
      result = op(result, std::uint32_t(exchanged(k)));
    }
    return result;
  }
  template <class T>
  T shuffle(T value, std::uint32_t from) {
    return T(exchange(Operation::Shuffle, value, from));
  }
  template <class T>
  T shuffle_up(T value, std::uint32_t distance) {
    const std::uint32_t self = lane_in_warp();
    return T(exchange(Operation::ShuffleUp, value, self < distance ? self : self - distance));
  }
  template <class T>
  T shuffle_xor(T value, std::uint32_t mask) {
    return T(exchange(Operation::ShuffleXor, value, lane_in_warp() ^ mask));
  }

  // One thread runs all lanes, so plain accesses are atomic.
  void atomic_xor(std::uint32_t* word, std::uint32_t bits) { *word ^= bits; }
  void atomic_or(std::uint32_t* word, std::uint32_t bits) { *word |= bits; }
  template <class T>
  T atomic_add(T* word, T value) {
    const T before = *word;
    *word += value;
    return before;
  }
  void atomic_max(std::uint64_t* word, std::uint64_t value) {
    if (*word < value) *word = value;
  }
  std::uint64_t atomic_load(const std::uint64_t* word) { return *word; }
  void atomic_store(std::uint64_t* word, std::uint64_t value) { *word = value; }
  void pause();

 private:
  enum class Operation : std::uint8_t {
    WarpBarrier,
    Ballot,
    Reduce,
    Shuffle,
    ShuffleUp,
    ShuffleXor
  };

  std::uint32_t lane_in_warp() const { return lane() % warp_lanes(); }
  /// Waits for all lanes of the warp and returns the value that lane `from` passed.
  std::uint64_t exchange(Operation operation, std::uint64_t value, std::uint32_t from);

  /// The value that lane k of the warp passed to the last exchange.
  std::uint64_t exchanged(std::uint32_t k) const;

  Lane* self_;
};
static_assert(Hardware<EmulatedHardware>);

/// Runs `kernel` on every lane of every block and returns when all have ended. Throws
/// std::logic_error if lanes deadlock, and rethrows what a lane throws. Must not be called from
/// inside a kernel.
void emulate(const EmulatedShape& shape, const std::function<void(EmulatedHardware)>& kernel);

}  // namespace fpsynth::teams
