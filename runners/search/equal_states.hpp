#pragma once
// Nodes of a plan whose blocks are equal on a chunk, so that only one of their subtrees is walked.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runners/search/subtrees.hpp"

namespace fpsynth::search {

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
