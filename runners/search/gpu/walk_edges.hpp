#pragma once
// The edges of a plan, and the parts of its walk.

#include <bit>
#include <cstdint>

#include "components/dispatch.hpp"
#include "components/teams/hardware.hpp"

namespace fpsynth::search {

/// An edge of a plan. Edges are stored in the order in which they are walked: each node's, then its
/// leaves', then its children's.
struct alignas(8) WalkEdge {
  static constexpr std::uint8_t kLeaf = 0x80;

  components::Step step;    ///< its tag: the depth of its output; leaves have kLeaf set
  std::uint32_t index = 0;  ///< of the node or leaf in the plan

  FPSYNTH_INLINE bool is_leaf() const { return step.tag & kLeaf; }
  FPSYNTH_INLINE std::uint32_t depth() const { return step.tag & ~kLeaf; }
};

/// The edges that a thread block walks next: each warp has some in its lanes' registers, so that
/// the block waits for global memory once for many edges. All lanes call all members.
template <teams::Hardware H>
class HeldEdges {
 public:
  FPSYNTH_INLINE HeldEdges(H hardware, const WalkEdge* edges)
      : hardware_(hardware), edges_(edges) {}

  FPSYNTH_INLINE void release() { held_ = kNone; }
  /// Sees to it that edge number s is held, and those after it that read the same block, if they
  /// are no more than seven. Edges from `end` on are not.
  FPSYNTH_INLINE void hold(std::uint32_t s, std::uint32_t end) {
    if (s - held_ + 8 <= hardware_.warp_lanes()) return;
    held_ = s;
    s += hardware_.lane() % hardware_.warp_lanes();
    mine_ = s < end ? edges_[s] : WalkEdge{};
  }
  /// Edge number s, or one of no depth if it is not held.
  FPSYNTH_INLINE WalkEdge at(std::uint32_t s) {
    const std::uint32_t width = hardware_.warp_lanes();
    const auto bits = hardware_.shuffle(std::bit_cast<std::uint64_t>(mine_), (s - held_) % width);
    return s - held_ < width ? std::bit_cast<WalkEdge>(bits) : WalkEdge{};
  }

 private:
  static constexpr std::uint32_t kNone = ~0u - 64;

  H hardware_;
  const WalkEdge* edges_;
  WalkEdge mine_{};
  std::uint32_t held_ = kNone;  ///< the number of the first lane's
};

/// A part of a plan's walk: consecutive edges, and the path of nodes to them from the chunk. The
/// block that an edge reads is made by the part itself or by its path.
struct WalkPart {
  static constexpr std::uint32_t kLongestPath = 7;

  std::uint32_t begin = 0, end = 0;  ///< its edges, by index
  std::uint32_t path_length = 0;
  std::uint32_t path[kLongestPath] = {};  ///< edges of nodes, by index, at depths 1, 2, ...
};

}  // namespace fpsynth::search
