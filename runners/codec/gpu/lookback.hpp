#pragma once
// Finds the offset of a chunk's block in a single pass, by the decoupled look-back of D. Merrill
// and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA 2016.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::codec {

/// A chunk's state word is 0 at first and is written twice: with the length of its block, and with
/// the sum of all lengths up to and including it. It is all that passes between the thread blocks
/// of a launch, which read nothing else that others write, so that relaxed accesses are enough.
struct ChunkState {
  static constexpr std::uint64_t kLength = std::uint64_t{1} << 62, kSum = std::uint64_t{2} << 62;
  static constexpr std::uint64_t kValue = kLength - 1;

  FPSYNTH_INLINE static bool is_published(std::uint64_t state) { return state >> 62 != 0; }
  FPSYNTH_INLINE static bool is_sum(std::uint64_t state) { return state >= kSum; }
};

/// Publishes `length` to the chunks after this one and returns the sum of the lengths of all chunks
/// before it. Called by all lanes of a thread block's first warp. Chunks must be started in
/// ascending order, by tickets, so that the chunks it waits for are in progress. A warp inspects as
/// many predecessors at once as it has lanes, in one coalesced read.
template <teams::Hardware Hardware>
FPSYNTH_INLINE std::uint64_t sum_before(Hardware hardware, std::uint64_t* states,
                                        std::uint64_t chunk, std::uint64_t length) {
  const std::uint32_t lane = hardware.lane(), width = hardware.warp_lanes();
  if (lane == 0) {
    hardware.atomic_store(states + chunk,
                          (chunk == 0 ? ChunkState::kSum : ChunkState::kLength) | length);
  }
  std::uint64_t sum = 0;
  for (std::uint64_t end = chunk; end > 0;) {
    std::uint64_t state;
    std::uint32_t sums, nearest;
    for (;;) {
      // Before the first chunk, the sum is 0.
      state = end > lane ? hardware.atomic_load(states + (end - 1 - lane)) : ChunkState::kSum;
      sums = hardware.ballot(ChunkState::is_sum(state));
      nearest = sums ? std::uint32_t(words::count_bits(~sums & (sums - 1))) : width - 1;
      const std::uint32_t published =
          hardware.ballot(lane > nearest || ChunkState::is_published(state));
      if (published == std::uint32_t(words::low_mask(width))) break;
      hardware.pause();
    }
    std::uint64_t value = lane <= nearest ? state & ChunkState::kValue : 0;
    for (std::uint32_t distance = 1; distance < width; distance *= 2) {
      value += hardware.shuffle_xor(value, distance);
    }
    sum += value;
    if (sums) break;
    end -= width;
  }
  if (lane == 0 && chunk > 0)
    hardware.atomic_store(states + chunk, ChunkState::kSum | (sum + length));
  return sum;
}

}  // namespace fpsynth::codec
