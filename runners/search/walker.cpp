#include "runners/search/walker.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace fpsynth::search {

Walker::Walker(const synth::Plan& plan, std::size_t word_bytes, Mode mode,
               const components::StageTable& stages, const Subtrees* subtrees)
    : plan_(plan),
      word_bytes_(word_bytes),
      mode_(mode),
      stages_(stages),
      scratch_(std::ranges::max(plan.worst_case_bytes(word_bytes, plan.input_words()))),
      subtrees_(subtrees),
      block_bytes_(plan.leaves().size()) {
  std::vector<std::size_t> bytes = plan.worst_case_bytes(word_bytes, plan.input_words());
  last_.buffer = components::BlockBuffer(bytes.back());
  bytes.pop_back();
  for (const std::size_t level : bytes) {
    levels_.emplace_back().buffer = components::BlockBuffer(level);
    if (mode_ == Mode::Verify) levels_.back().decoded = components::BlockBuffer(level);
  }
  for (std::size_t family = 0; family < synth::family_count(); ++family) {
    for (const std::size_t size : {word_bytes, std::size_t{1}}) {
      family_ops_.push_back(
          {&stages.at(family, size), static_cast<std::uint8_t>(std::countr_zero(size))});
    }
  }
  if (mode == Mode::Count) {
    plan_counting();
    leaf_bytes_.resize(plan.leaves().size());
    if (subtrees) equal_.emplace(*subtrees);
  } else {
    failed_nodes_.resize(plan.nodes().size());
    failed_leaves_.resize(plan.leaves().size());
  }
}

std::size_t Walker::owned_bytes() const {
  const auto bytes_of = []<class T>(const std::vector<T>& values) {
    return values.capacity() * sizeof(T);
  };
  std::size_t bytes = bytes_of(family_ops_) + bytes_of(counting_) + bytes_of(levels_) +
                      bytes_of(leaf_bytes_) + bytes_of(block_bytes_) + bytes_of(failed_nodes_) +
                      bytes_of(failed_leaves_) + last_.buffer.size();
  for (const Level& level : levels_) {
    bytes += level.buffer.size() + level.decoded.size() + level.counted_memory.size();
  }
  return bytes + (equal_ ? equal_->owned_bytes() : 0);
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

void Walker::plan_counting() {
  const std::span<const synth::PlanNode> nodes = plan_.nodes();
  counting_.resize(nodes.size());
  std::vector<std::size_t> path(levels_.size());  // the nodes on the way to the present one
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const synth::PlanNode& node = nodes[n];
    Counting& counting = counting_[n];
    path[node.depth] = n;
    bool all_measured = true;
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      const StageCall stage = call_of(plan_.leaves()[leaf]);
      if (stage.ops->measured) {
        counting.word_bytes = std::max<std::uint8_t>(counting.word_bytes, 1u << stage.word_shift);
      } else {
        all_measured = false;
      }
    }
    const bool last = n + 1 == nodes.size() || nodes[n + 1].depth <= node.depth;
    if (!last || !all_measured || node.depth == 0) continue;
    if (!call_of(node.edge).ops->count_output) continue;
    counting.only_counted = true;
    const std::size_t parent = path[node.depth - 1u];
    const bool on_bytes = nodes[parent].depth > 0 && nodes[parent].edge.on_bytes;
    counting_[parent].prepared_as = static_cast<std::uint8_t>(on_bytes ? 1 : word_bytes_);
    Level& level = levels_[node.depth - 1u];
    if (level.counted.block) continue;
    level.counted_memory = components::CountedBlockBuffer(level.buffer.size());
    level.counted = level.counted_memory.view();
  }
}

void Walker::measure_leaves(std::size_t n, const teams::BlockCounts& counts, const Level& in) {
  const synth::PlanNode& node = plan_.nodes()[n];
  for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
    const StageCall stage = call_of(plan_.leaves()[leaf]);
    const std::size_t words = in.bytes >> stage.word_shift;
    const components::Extent extent =
        stage.ops->measured
            ? stage.ops->measured(stage.word_shift ? counts.words : counts.bytes, words)
            : stage.ops->measure(in.buffer.data(), words, stage.parameter, scratch_.view());
    leaf_bytes_[leaf] = extent.words << stage.word_shift;
  }
}

std::size_t Walker::count(std::size_t n) {
  if (subtrees_ && subtrees_->same_by_commuting(n) != n) return subtrees_->same_by_commuting(n);
  const synth::PlanNode& node = plan_.nodes()[n];
  const Counting& counting = counting_[n];
  const components::Scratch& scratch = scratch_.view();
  Level& level = levels_[node.depth];
  teams::BlockCounts counts;
  if (node.depth > 0) {
    Level& in = levels_[node.depth - 1u];
    const StageCall stage = call_of(node.edge);
    if (counting.only_counted && stage.ops->count_output(in.counted, in.bytes >> stage.word_shift,
                                                         stage.parameter, scratch, counts)) {
      measure_leaves(n, counts, in);
      return n;
    }
    run(stage, in, level);
  }
  if (equal_) {
    const std::size_t first = equal_->first_equal(n, {level.buffer.data(), level.bytes});
    if (first != n) return first;
  }
  if (counting.prepared_as) {
    stages_.prepare(level.buffer.data(), level.bytes / counting.prepared_as, counting.prepared_as,
                    level.counted, scratch);
    counts = level.counted.counts;
  } else if (counting.word_bytes) {
    counts = stages_.count(level.buffer.data(), level.bytes / counting.word_bytes,
                           counting.word_bytes, scratch);
  }
  measure_leaves(n, counts, level);
  return n;
}

std::uint64_t Walker::count() {
  if (equal_) equal_->begin_chunk();
  std::uint64_t merged = 0;
  const std::span<const synth::PlanNode> nodes = plan_.nodes();
  for (std::size_t n = 0; n < nodes.size();) {
    const std::size_t first = count(n);
    if (first == n) {
      ++n;
      continue;
    }
    std::copy_n(leaf_bytes_.begin() + nodes[first].leaves, subtrees_->leaf_count(n),
                leaf_bytes_.begin() + nodes[n].leaves);
    ++merged;
    n = subtrees_->end(n);
  }
  return merged;
}

void Walker::verify() {
  const std::span<const synth::PlanNode> nodes = plan_.nodes();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const synth::PlanNode& node = nodes[n];
    Level& level = levels_[node.depth];
    if (node.depth > 0) {
      failed_nodes_[n] += !run(call_of(node.edge), levels_[node.depth - 1u], level);
    }
    stages_.complement(level.buffer.data(), level.bytes, level.decoded.data());
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      failed_leaves_[leaf] += !run(call_of(plan_.leaves()[leaf]), level, last_);
      block_bytes_[leaf] += last_.bytes;
    }
  }
}

void Walker::load(std::span<const std::byte> chunk) {
  std::memcpy(levels_[0].buffer.data(), chunk.data(), chunk.size());
  levels_[0].bytes = chunk.size();
}

void Walker::walk(std::span<const std::byte> chunk) {
  load(chunk);
  if (mode_ == Mode::Verify) return verify();
  merged_states_ += count();
  for (std::size_t leaf = 0; leaf < block_bytes_.size(); ++leaf) {
    block_bytes_[leaf] += leaf_bytes_[leaf];
  }
}

void Walker::measure(std::span<const std::byte> block, std::span<std::uint32_t> leaf_bytes) {
  assert(mode_ == Mode::Count && block.size() <= levels_[0].buffer.size() &&
         leaf_bytes.size() == leaf_bytes_.size());
  load(block);
  count();
  std::ranges::copy(leaf_bytes_, leaf_bytes.begin());
}

}  // namespace fpsynth::search
