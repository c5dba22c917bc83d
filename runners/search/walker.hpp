#pragma once
// Walks one chunk through a search plan.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "components/scratch.hpp"
#include "components/stage_table.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/subtrees.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// Walks chunks through a plan, depth first, with one block per depth, and adds up the leaves'
/// block lengths. Owns its memory (owned_bytes()); used by one thread at a time; allocates nothing
/// while it walks.
class Walker {
 public:
  /// For blocks of 1..plan.input_words() words of `word_bytes` bytes: 8, 4, or 1 if all edges of
  /// the plan are on bytes. The plan and the table must outlive the walker. In mode Count, equal
  /// subtrees are walked once if `subtrees`, which are the plan's and must outlive the walker, are
  /// given; mode Verify walks them all.
  Walker(const synth::Plan& plan, std::size_t word_bytes, Mode mode,
         const components::StageTable& stages, const Subtrees* subtrees = nullptr);

  /// Walks one chunk, which consists of whole words and need not be aligned.
  void walk(std::span<const std::byte> chunk);
  /// Measures a block, as walk() takes it, in mode Count: leaf_bytes[leaf] becomes the length in
  /// bytes of each leaf's output. The sums do not change.
  void measure(std::span<const std::byte> block, std::span<std::uint32_t> leaf_bytes);

  /// For every leaf of the plan, the sum of its blocks' bytes so far.
  std::span<const std::uint64_t> block_bytes() const { return block_bytes_; }
  /// For every node and every leaf of the plan, the number of chunks on which it failed. Empty in
  /// mode Count.
  std::span<const std::uint32_t> failed_nodes() const { return failed_nodes_; }
  std::span<const std::uint32_t> failed_leaves() const { return failed_leaves_; }
  /// The number of nodes, summed over chunks, whose subtrees were not walked because that of an
  /// equal node was.
  std::uint64_t merged_states() const { return merged_states_; }
  /// The memory that this walker owns, but for that of the scratch: the sums (8 bytes per leaf);
  /// some 200 KiB of blocks; in mode Count 4 bytes per leaf, 3 per node and, if equal subtrees are
  /// walked once, some 100 per node on which other nodes follow; in mode Verify 4 per leaf and
  /// node. Beside the sums, that is 24 MiB for the paper's components in five stages.
  std::size_t owned_bytes() const;

 private:
  /// The functions of a component family on words or on bytes.
  struct FamilyOps {
    const components::StageOps* ops;
    std::uint8_t word_shift;  ///< log2 of the word size in bytes
  };
  /// An edge with the functions that run it.
  struct StageCall {
    const components::StageOps* ops;
    std::uint8_t parameter;
    std::uint8_t word_shift;  ///< log2 of the word size in bytes
  };
  struct Level {
    components::BlockBuffer buffer;
    /// The output of decoders in a verified walk. Between edges it holds the block's complement: a
    /// byte that a decoder does not write differs from the block, so that the output of an earlier
    /// decoder cannot pass for its own.
    components::BlockBuffer decoded;
    std::size_t bytes = 0;
    components::CountedBlockBuffer counted_memory;
    components::CountedBlock counted;  ///< the same block, for counting the outputs of stages on it
  };
  /// The work of the walk at a node in mode Count.
  struct Counting {
    /// The word size in bytes with which its block is counted: that of the largest leaf whose
    /// length follows from the counts; 0 if there is none.
    std::uint8_t word_bytes = 0;
    /// Its block is only counted, so that it need not be produced if its counts are known.
    bool only_counted = false;
    /// The word size in bytes with which its block is prepared for counting the outputs of stages
    /// on it; 0 if no such stage follows.
    std::uint8_t prepared_as = 0;
  };

  StageCall call_of(const synth::PlanEdge& edge) const {
    const FamilyOps& found = family_ops_[2u * edge.component.family + edge.on_bytes];
    return {found.ops, edge.component.parameter, found.word_shift};
  }
  /// Runs an edge from `in` to `out`, and sets out.bytes. Returns false if it is verified and the
  /// output does not decode to the input.
  bool run(const StageCall& stage, Level& in, Level& out);
  /// Sets counting_, and allocates the memory of the blocks that are prepared.
  void plan_counting();
  /// Sets leaf_bytes_ to the leaves' lengths on the block of level 0. Returns how many nodes'
  /// subtrees were not walked because that of an equal node was.
  std::uint64_t count();
  void verify();
  /// Copies the chunk, or another block of whole words, to level 0.
  void load(std::span<const std::byte> chunk);
  /// Produces node n's block where it is needed, and measures its leaves. Returns the first node of
  /// this chunk that is equal, which then has been measured; n if there is none.
  std::size_t count(std::size_t n);
  /// Sets the lengths of all leaves of node n, which has these counts and the block `in`. Without
  /// the block's contents if the node is only counted.
  void measure_leaves(std::size_t n, const teams::BlockCounts& counts, const Level& in);

  const synth::Plan& plan_;
  std::size_t word_bytes_;
  Mode mode_;
  const components::StageTable& stages_;
  /// By family, on words and on bytes. Edges are looked up here and not stored with their
  /// functions, of which a plan of five stages would need 75 MiB for each walker.
  std::vector<FamilyOps> family_ops_;
  std::vector<Counting> counting_;  ///< by node
  std::vector<Level> levels_;       ///< by depth
  Level last_;                      ///< a leaf's block
  components::ScratchBuffer scratch_;
  const Subtrees* subtrees_;
  std::optional<EqualStates> equal_;
  std::uint64_t merged_states_ = 0;
  std::vector<std::uint32_t> leaf_bytes_;  ///< of this chunk, where counted
  std::vector<std::uint64_t> block_bytes_;
  std::vector<std::uint32_t> failed_nodes_, failed_leaves_;
};

}  // namespace fpsynth::search
