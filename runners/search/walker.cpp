#include "runners/search/walker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fpsynth::search {

Walker::Walker(const synth::Plan& plan, std::size_t word_bytes, Mode mode,
               const components::StageTable& stages, std::size_t chunk_words)
    : plan_(plan),
      word_bytes_(word_bytes),
      mode_(mode),
      stages_(stages),
      scratch_(std::ranges::max(plan.worst_case_bytes(word_bytes, chunk_words))),
      block_bytes_(plan.leaves().size()),
      failed_nodes_(plan.nodes().size()),
      failed_leaves_(plan.leaves().size()) {
  std::vector<std::size_t> bytes = plan.worst_case_bytes(word_bytes, chunk_words);
  last_.buffer = components::BlockBuffer(bytes.back());
  bytes.pop_back();
  for (const std::size_t level : bytes) {
    levels_.push_back({components::BlockBuffer(level), {}, 0});
    if (mode_ == Mode::Verify) levels_.back().decoded = components::BlockBuffer(level);
  }
  for (const synth::PlanNode& node : plan.nodes()) node_calls_.push_back(call_of(node.edge));
  for (const synth::PlanEdge& leaf : plan.leaves()) leaf_calls_.push_back(call_of(leaf));
  for (const synth::PlanNode& node : plan.nodes()) counted_as_.push_back(counted_as(node));
}

Walker::StageCall Walker::call_of(const synth::PlanEdge& edge) const {
  const std::size_t word_bytes = edge.on_bytes ? 1 : word_bytes_;
  return {&stages_.at(edge.component.family, word_bytes), edge.component.parameter,
          static_cast<std::uint8_t>(std::countr_zero(word_bytes))};
}

bool Walker::run(const StageCall& stage, Level& in, Level& out) {
  const std::size_t words = in.bytes >> stage.word_shift;
  const components::Scratch& scratch = scratch_.view();
  const components::Extent extent =
      stage.ops->encode(in.buffer.data(), words, out.buffer.data(), stage.parameter, scratch);
  out.bytes = std::size_t{extent.words} << stage.word_shift;
  if (mode_ == Mode::Count) return true;
  const bool accepted = stage.ops->decode(out.buffer.data(), extent, in.decoded.data(), words,
                                          stage.parameter, scratch);
  const bool equal = stages_.verify(in.buffer.data(), in.bytes, in.decoded.data());
  return accepted && equal;
}

std::uint8_t Walker::counted_as(const synth::PlanNode& node) const {
  std::uint8_t word_bytes = 0;
  for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
    const StageCall& stage = leaf_calls_[leaf];
    if (stage.ops->measured)
      word_bytes = std::max<std::uint8_t>(word_bytes, 1u << stage.word_shift);
  }
  return word_bytes;
}

void Walker::measure_leaves(std::size_t n, const Level& in) {
  const synth::PlanNode& node = plan_.nodes()[n];
  const components::Scratch& scratch = scratch_.view();
  teams::BlockCounts counts;
  if (const std::size_t size = counted_as_[n]) {
    counts = stages_.count(in.buffer.data(), in.bytes / size, size, scratch);
  }
  for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
    const StageCall& stage = leaf_calls_[leaf];
    const std::size_t words = in.bytes >> stage.word_shift;
    const components::Extent extent =
        stage.ops->measured
            ? stage.ops->measured(stage.word_shift ? counts.words : counts.bytes, words)
            : stage.ops->measure(in.buffer.data(), words, stage.parameter, scratch);
    block_bytes_[leaf] += std::size_t{extent.words} << stage.word_shift;
  }
}

void Walker::walk(std::span<const std::byte> chunk) {
  std::memcpy(levels_[0].buffer.data(), chunk.data(), chunk.size());
  levels_[0].bytes = chunk.size();
  const std::span<const synth::PlanNode> nodes = plan_.nodes();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const synth::PlanNode& node = nodes[n];
    Level& level = levels_[node.depth];
    if (node.depth > 0) failed_nodes_[n] += !run(node_calls_[n], levels_[node.depth - 1], level);
    if (mode_ == Mode::Verify) {
      stages_.complement(level.buffer.data(), level.bytes, level.decoded.data());
    }
    if (mode_ == Mode::Count) {
      measure_leaves(n, level);
      continue;
    }
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      failed_leaves_[leaf] += !run(leaf_calls_[leaf], level, last_);
      block_bytes_[leaf] += last_.bytes;
    }
  }
}

}  // namespace fpsynth::search
