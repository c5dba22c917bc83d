#pragma once
// The subtrees of a plan: those with the same stages, and those of which one walk is
// enough, because components commute or blocks are equal.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "synth/plan.hpp"

namespace fpsynth::search {

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

/// Remembers the blocks that a walk of one chunk has met at its inner nodes, by a 128-bit hash
/// (XXH3). Two nodes whose subtrees have the same stages and whose blocks are equal have leaves of
/// equal lengths: DIM2 DIM4 and DIM4 DIM2 on a whole chunk, for example. (Subtrees knows
/// in advance which blocks are equal on every chunk.) Two different blocks are taken for equal with
/// a probability of 2^-128 a pair. Owns some 100 bytes for each inner node; used by one thread at a
/// time; allocates nothing after its construction.
class EqualStates {
 public:
  /// The subtrees must outlive it.
  explicit EqualStates(const Subtrees& subtrees);

  /// Forgets all blocks: another chunk begins.
  void begin_chunk() { ++chunk_; }

  /// The first node of this chunk with an equal block and an equal subtree. If there is none, it is
  /// `node` itself, which is then remembered. Nodes that have leaves only are their own.
  std::size_t first_equal(std::size_t node, std::span<const std::byte> block);
  std::size_t owned_bytes() const { return table_.size() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint64_t low = 0, high = 0;  ///< the hash
    std::uint32_t bytes = 0, node = 0;
    std::uint64_t chunk = 0;  ///< when it was stored; older entries are empty
  };

  const Subtrees& subtrees_;
  std::vector<Entry> table_;  ///< open addressing; its size is a power of two
  std::uint64_t chunk_ = 1;
};

}  // namespace fpsynth::search
