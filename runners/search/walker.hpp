#pragma once
// Walks one chunk through a search plan.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/scratch.hpp"
#include "components/stage_table.hpp"
#include "runners/search/engine.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// Walks chunks through a plan, depth first, with one block per depth, and adds up the leaves'
/// block lengths. Owns its memory (some 100 KiB of blocks, 12 bytes per leaf, 4 bytes per node);
/// used by one thread at a time; allocates nothing while it walks.
class Walker {
 public:
  /// For chunks of 1..chunk_words words of `word_bytes` (8 or 4) bytes. The plan and the table must
  /// outlive the walker.
  Walker(const synth::Plan& plan, std::size_t word_bytes, Mode mode,
         const components::StageTable& stages, std::size_t chunk_words = synth::kChunkWords);

  /// Walks one chunk, which consists of whole words and need not be aligned.
  void walk(std::span<const std::byte> chunk);

  /// For every leaf of the plan, the sum of its blocks' bytes so far.
  std::span<const std::uint64_t> block_bytes() const { return block_bytes_; }
  /// For every node and every leaf of the plan, the number of chunks on which it failed. 0 in mode
  /// Count.
  std::span<const std::uint32_t> failed_nodes() const { return failed_nodes_; }
  std::span<const std::uint32_t> failed_leaves() const { return failed_leaves_; }

 private:
  /// An edge with the functions that run it.
  struct StageCall {
    const components::StageOps* ops;
    std::uint8_t parameter;
    std::uint8_t word_shift;  ///< log2 of the word size in bytes
  };
  struct Level {
    components::BlockBuffer buffer;
    /// What a verified walk decodes to. Between edges it holds the block's complement: a byte that
    /// a decoder does not write differs from the block, so what an earlier decoder wrote cannot
    /// pass for its own.
    components::BlockBuffer decoded;
    std::size_t bytes = 0;
  };

  StageCall call_of(const synth::PlanEdge& edge) const;
  /// Runs an edge from `in` to `out`, and sets out.bytes. Returns false if it is verified and the
  /// output does not decode to the input.
  bool run(const StageCall& stage, Level& in, Level& out);
  /// The word size in bytes with which a node's block is counted: that of the largest leaf whose
  /// length follows from the counts; 0 if there is none.
  std::uint8_t counted_as(const synth::PlanNode& node) const;
  /// Adds the lengths of all leaves of node n, whose block is `in`.
  void measure_leaves(std::size_t n, const Level& in);

  const synth::Plan& plan_;
  std::size_t word_bytes_;
  Mode mode_;
  const components::StageTable& stages_;
  std::vector<StageCall> node_calls_, leaf_calls_;
  std::vector<std::uint8_t> counted_as_;  ///< by node
  std::vector<Level> levels_;             ///< by depth
  Level last_;                            ///< a leaf's block
  components::ScratchBuffer scratch_;
  std::vector<std::uint64_t> block_bytes_;
  std::vector<std::uint32_t> failed_nodes_, failed_leaves_;
};

}  // namespace fpsynth::search
