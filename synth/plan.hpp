#pragma once
// The search plan: the tree of shared prefixes of a space, as data. Runners walk it without knowing
// what the stages do.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "synth/space.hpp"

namespace fpsynth::synth {

/// One stage on one distinct prefix: an edge of the tree.
struct PlanEdge {
  Component component;
  bool on_bytes = false;  ///< after the cut
};

/// An inner node: an edge whose output other stages read. Its leaves are the last stages among
/// them.
struct PlanNode {
  PlanEdge edge;             ///< unused in the root, whose block is the chunk
  std::uint8_t depth = 0;    ///< stages up to and including this one; 0 is the root
  std::uint32_t leaves = 0;  ///< its leaves are plan.leaves()[leaves .. leaves + leaf_count)
  std::uint32_t leaf_count = 0;
};

/// The size of the plan of a space. Numbers that do not fit 64 bits are UINT64_MAX.
struct PlanSize {
  std::uint64_t nodes = 0;   ///< with the root
  std::uint64_t leaves = 0;  ///< distinct pipelines

  /// Stages that a walk runs per chunk.
  std::uint64_t edges() const;
  /// Throws Error for more distinct pipelines, or ids of the space, than a search takes.
  void check(const Space& space) const;
};

/// Computes the size without making the plan, which takes long for a large space (not for a list).
/// Throws Error for a space that is not valid or has more ids than fit 64 bits.
PlanSize plan_size(const Space& space);

/// The tree of a space, without NUL: a pipeline with NUL equals the shorter one without it, so both
/// have the same leaf. Of a space that is a list of pipelines, the tree has their stages only. The
/// nodes are in preorder: a node's stage reads the output of the last node before it whose depth is
/// one less, so that a walk needs one block per depth.
class Plan {
 public:
  /// `input_words`: the longest block, in words, that a walk begins with, which is more than a
  /// chunk where stages have run before; 0: the chunks of the space. Throws Error if the space is
  /// not valid or has more than kMostLeaves distinct pipelines or kMostPipelines ids.
  explicit Plan(const Space& space, std::size_t input_words = 0);

  /// A search keeps 8 bytes per leaf and thread.
  static constexpr std::size_t kMostLeaves = std::size_t{4} << 20;
  static constexpr std::uint64_t kMostPipelines = std::uint64_t{32} << 20;

  const Space& space() const { return space_; }
  /// The longest block, in words, that a walk begins with.
  std::size_t input_words() const { return input_words_; }
  std::span<const PlanNode> nodes() const { return nodes_; }  ///< [0] is the root
  std::span<const PlanEdge> leaves() const { return leaves_; }
  /// The index of the leaf of every id's pipeline.
  std::span<const std::uint32_t> leaf_of_id() const { return leaf_of_id_; }

  /// Stages that a walk runs per chunk.
  std::size_t edges() const { return nodes_.size() - 1 + leaves_.size(); }
  /// Longest block, in bytes, at each depth 0..stages-1 and (the last entry) at the leaves, of a
  /// chunk of `chunk_words` words.
  std::vector<std::size_t> worst_case_bytes(std::size_t word_bytes, std::size_t chunk_words) const;

 private:
  Space space_;
  std::size_t input_words_;
  std::vector<PlanNode> nodes_;
  std::vector<PlanEdge> leaves_;
  std::vector<std::uint32_t> leaf_of_id_;
};

}  // namespace fpsynth::synth
