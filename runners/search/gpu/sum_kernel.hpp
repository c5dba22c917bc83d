#pragma once
// The kernel behind walks that count: thread blocks have counters of their own.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::search {

/// Sums, for every leaf, the counters of all thread blocks of a walk.
struct SumBody {
  static constexpr std::uint32_t kLanes = 256;
  struct Args {
    const std::uint32_t* leaf_bytes;  ///< `leaves` for each of `blocks` blocks
    std::uint32_t leaves, blocks;
    std::uint64_t* sums;  ///< one for every leaf
  };
  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const std::uint32_t lanes = hardware.lanes() * hardware.blocks();
    for (std::uint32_t leaf = hardware.block() * hardware.lanes() + hardware.lane();
         leaf < args.leaves; leaf += lanes) {
      std::uint64_t sum = 0;
      for (std::uint32_t block = 0; block < args.blocks; ++block) {
        sum += args.leaf_bytes[std::size_t(block) * args.leaves + leaf];
      }
      args.sums[leaf] = sum;
    }
  }
};

}  // namespace fpsynth::search
