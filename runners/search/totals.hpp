#pragma once
// Walks over chunks: their modes, their sums, and their callbacks to the search.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "synth/plan.hpp"

namespace fpsynth::search {

enum class Mode {
  Count,   ///< the last stages' output is measured, not written
  Verify,  ///< every edge is run, decoded and compared with its input, bit for bit
};

/// The sums of walks over chunks.
struct Totals {
  std::vector<std::uint64_t> block_bytes;    ///< by leaf of the plan: the bytes of its blocks
  std::vector<std::uint32_t> failed_nodes;   ///< by node: on how many chunks it failed to decode
  std::vector<std::uint32_t> failed_leaves;  ///< by leaf; both are 0 in mode Count
  std::uint64_t merged_states = 0;           ///< see Walker::merged_states()

  explicit Totals(const synth::Plan& plan)
      : block_bytes(plan.leaves().size()),
        failed_nodes(plan.nodes().size()),
        failed_leaves(plan.leaves().size()) {}
  /// The counts of failures may be empty, in mode Count.
  void add(std::span<const std::uint64_t> bytes, std::span<const std::uint32_t> nodes,
           std::span<const std::uint32_t> leaves) {
    const auto add_each = [](auto& to, auto from) {
      for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
    };
    add_each(block_bytes, bytes);
    add_each(failed_nodes, nodes);
    add_each(failed_leaves, leaves);
  }
};

/// Callbacks from an engine to the search.
struct WalkCallbacks {
  /// Called between chunks, or between launches on a device: true ends the walk after those in
  /// progress. A chunk that is then only partly walked is not finished.
  std::function<bool()> stopped;
  /// Called from time to time, by one thread at a time, with the number of chunks walked since the
  /// last call.
  std::function<void(std::uint64_t chunks)> walked;
};

}  // namespace fpsynth::search
