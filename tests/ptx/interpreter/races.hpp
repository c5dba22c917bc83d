#pragma once
// Races: two accesses of a byte by two lanes of a block, at least one of which writes, that no
// barrier orders. They are found in whatever order the lanes run.

#include <cstdint>

namespace fpsynth::ptx {

/// The position of a lane. Barriers of the block divide its run into epochs, which are unique among
/// blocks; barriers of the warp divide the run of the warp. Accesses of different warps in the same
/// epoch of their block are not ordered, nor are accesses of lanes of a warp in the same epoch of
/// both.
struct Moment {
  std::uint32_t block_epoch, warp_epoch, warp, lane, pc;
};

/// The relevant accesses of one kind in the last epoch that had any: if only one warp had accesses,
/// its lanes in its last epoch; if several warps had, any further access conflicts.
struct Accesses {
  std::uint32_t block_epoch = 0, warp_epoch = 0, warps = 0, lanes = 0;
  std::uint32_t pc = 0;  ///< of the last access

  /// True if some lane's access is not ordered before the current one.
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

/// The recorded accesses to a byte. The last write is enough: a race with an earlier write is also
/// a race of the last one.
struct Shadow {
  Accesses reads, writes, atomics;

  /// Adds an access. Returns those that race with it; null if there are none.
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
