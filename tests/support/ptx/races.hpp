#pragma once
// Races: two accesses of a byte by two lanes of a block, at least one of which writes, that no
// barrier orders. They are found whatever order the lanes happened to run in.

#include <cstdint>

namespace fpsynth::ptx {

/// Where a lane is. Barriers of the block divide its run into epochs, of which no two blocks share
/// one; barriers of the warp divide the warp's. What warps do in the same epoch of their block is
/// not ordered, nor is what lanes of a warp do in the same epoch of both.
struct Moment {
  std::uint32_t block_epoch, warp_epoch, warp, lane, pc;
};

/// The accesses of one kind in the last epoch that had any, as far as they matter: for lanes of one
/// warp, which in its last epoch; once there are more, any access conflicts.
struct Accesses {
  std::uint32_t block_epoch = 0, warp_epoch = 0, warps = 0, lanes = 0;
  std::uint32_t pc = 0;  ///< of the last one

  /// Whether some lane's is not ordered before the moment's.
  bool conflict_with(const Moment& now) const {
    if (block_epoch != now.block_epoch) return false;
    if (warps & ~(std::uint32_t{1} << now.warp)) return true;
    return warp_epoch == now.warp_epoch && (lanes & ~(std::uint32_t{1} << now.lane));
  }
  void add(const Moment& now) {
    const std::uint32_t warp = std::uint32_t{1} << now.warp;
    if (block_epoch != now.block_epoch) {
      *this = {now.block_epoch, now.warp_epoch, warp, 0, 0};
    } else if (!(warps & warp) || warp_epoch != now.warp_epoch) {
      warps |= warp;
      warp_epoch = now.warp_epoch;
      lanes = 0;
    }
    lanes |= std::uint32_t{1} << now.lane;
    pc = now.pc;
  }
};

enum class Access { Read, Write, Atomic };

/// What is known of a byte. The last write is enough: a race with an earlier one is one of that
/// write, too.
struct Shadow {
  Accesses reads, writes, atomics;

  /// Adds an access. Returns those that race with it; null where there are none.
  const Accesses* add(Access access, const Moment& now) {
    const Accesses* race = nullptr;
    if (access != Access::Read && reads.conflict_with(now)) race = &reads;
    if (access != Access::Atomic && atomics.conflict_with(now)) race = &atomics;
    if (writes.conflict_with(now)) race = &writes;
    if (!race)
      (access == Access::Read ? reads : access == Access::Write ? writes : atomics).add(now);
    return race;
  }
};

}  // namespace fpsynth::ptx
