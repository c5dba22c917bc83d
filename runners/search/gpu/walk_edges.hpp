#pragma once
// The edges of a plan, and the parts of its walk.

#include <cstdint>

#include "components/dispatch.hpp"

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

/// A part of a plan's walk: consecutive edges, and the path of nodes to them from the chunk. The
/// block that an edge reads is made by the part itself or by its path.
struct WalkPart {
  static constexpr std::uint32_t kLongestPath = 7;

  std::uint32_t begin = 0, end = 0;  ///< its edges, by index
  std::uint32_t path_length = 0;
  std::uint32_t path[kLongestPath] = {};  ///< edges of nodes, by index, at depths 1, 2, ...
};

}  // namespace fpsynth::search
