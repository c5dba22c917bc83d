#pragma once
// The subtrees of a plan: their ends, those with the same stages, and those whose results are the
// same because components commute.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "synth/plan.hpp"

namespace fpsynth::search {

/// One past the last node of each node's subtree, by node, for walks that leave subtrees out but do
/// not merge equal ones.
std::vector<std::size_t> subtree_ends(const synth::Plan& plan);

/// Made once per plan and then read by all threads. 16 bytes for each node.
class Subtrees {
 public:
  /// Does not refer to the plan afterwards.
  explicit Subtrees(const synth::Plan& plan);

  /// One past the last node of a node's subtree.
  std::size_t end(std::size_t node) const { return subtrees_[node].end; }
  /// The number of leaves in a node's subtree; they follow each other from
  /// plan.nodes()[node].leaves.
  std::size_t leaf_count(std::size_t node) const { return subtrees_[node].leaf_count; }
  /// Equal numbers: equal stages in the same order. Numbers begin with 1.
  std::uint32_t shape(std::size_t node) const { return subtrees_[node].shape; }
  /// The node, none after `node`, whose stages are the same but for the order of those that commute
  /// (synth::commute), and whose subtree has the same shape: both have the same block on every
  /// chunk. `node` itself if there is no other.
  std::size_t same_by_commuting(std::size_t node) const { return subtrees_[node].same; }
  /// The number of nodes on which other nodes follow.
  std::size_t inner_nodes() const { return inner_nodes_; }

 private:
  struct Subtree {
    std::uint32_t end = 0, leaf_count = 0, shape = 0, same = 0;
  };
  void find_shapes(const synth::Plan& plan);
  void find_same(const synth::Plan& plan);

  std::vector<Subtree> subtrees_;  ///< by node
  std::size_t inner_nodes_ = 0;
};

}  // namespace fpsynth::search
