// SpeedWalker: predicted times along a plan.

#include <omp.h>

#include <cstring>

#include "components/scratch.hpp"
#include "runners/codec/cpu/stage_load.hpp"
#include "runners/search/race/speed/speed_limit.hpp"
#include "runners/search/subtrees.hpp"

namespace fpsynth::search {
namespace {

/// The blocks of all nodes on the way to the present one, of every chunk of the sample. Used by one
/// thread at a time.
class Path {
 public:
  Path(const SpeedLimit& limit, const components::StageTable& stages, const synth::Plan& plan,
       std::size_t word_bytes, std::span<const std::size_t> worst_bytes,
       std::span<const std::span<const std::byte>> blocks, const StageTimes& before)
      : limit_(limit),
        stages_(stages),
        word_bytes_(word_bytes),
        levels_(plan.space().stages),
        scratch_(std::ranges::max(worst_bytes)) {
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        levels_[depth].blocks.push_back({components::BlockBuffer(worst_bytes[depth])});
      }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      std::memcpy(levels_[0].blocks[i].buffer.data(), blocks[i].data(), blocks[i].size());
      levels_[0].blocks[i].bytes = blocks[i].size();
    }
    levels_[0].times = before;
  }

  /// Runs a node's stage on the outputs of the one before. Returns the times of all stages.
  const StageTimes& run(const synth::PlanNode& node) {
    const Level& from = levels_[node.depth - 1u];
    Level& to = levels_[node.depth];
    const auto [ops, word_bytes] = ops_of(node.edge);
    codec::StageLoadMean load;
    for (std::size_t i = 0; i < from.blocks.size(); ++i) {
      const Block& in = from.blocks[i];
      const components::Extent out =
          ops->encode(in.buffer.data(), in.bytes / word_bytes, to.blocks[i].buffer.data(),
                      node.edge.component.parameter, scratch_.view());
      to.blocks[i].bytes = out.words * word_bytes;
      load.add(in.bytes, out, word_bytes);
    }
    to.times = limit_.after(from.times, node.edge.component, word_bytes, load.mean());
    return to.times;
  }

  /// The prediction for a leaf of the node of this depth that was run last.
  SpeedWalker::Predicted leaf(std::size_t depth, const synth::PlanEdge& edge) {
    const Level& from = levels_[depth];
    const auto [ops, word_bytes] = ops_of(edge);
    codec::StageLoadMean load;
    for (const Block& in : from.blocks) {
      load.add(in.bytes,
               ops->measure(in.buffer.data(), in.bytes / word_bytes, edge.component.parameter,
                            scratch_.view()),
               word_bytes);
    }
    const results::StageLoad mean = load.mean();
    return {limit_.after(from.times, edge.component, word_bytes, mean), mean.out_bytes};
  }

 private:
  struct Block {
    components::BlockBuffer buffer;
    std::size_t bytes = 0;
  };
  struct Level {
    std::vector<Block> blocks;  ///< by chunk of the sample
    StageTimes times;
  };

  std::pair<const components::StageOps*, std::size_t> ops_of(const synth::PlanEdge& edge) const {
    const std::size_t word_bytes = edge.on_bytes ? 1 : word_bytes_;
    return {&stages_.at(edge.component.family, word_bytes), word_bytes};
  }

  const SpeedLimit& limit_;
  const components::StageTable& stages_;
  std::size_t word_bytes_;
  std::vector<Level> levels_;  ///< by depth
  components::ScratchBuffer scratch_;
};

}  // namespace

SpeedWalker::SpeedWalker(const SpeedLimit& limit, const synth::Plan& plan, std::size_t word_bytes,
                         int threads, const components::StageTable& stages)
    : limit_(limit),
      plan_(plan),
      word_bytes_(word_bytes),
      threads_(threads),
      stages_(stages),
      worst_bytes_(plan.worst_case_bytes(word_bytes, plan.input_words())),
      ends_(subtree_ends(plan)) {
  // A component that the model lacks is found here, because no error can be thrown out of the
  // threads that walk.
  const auto need = [&](const synth::PlanEdge& edge) {
    limit.after({}, edge.component, edge.on_bytes ? 1 : word_bytes, {});
  };
  for (const synth::PlanNode& node : plan.nodes().subspan(1)) need(node.edge);
  for (const synth::PlanEdge& leaf : plan.leaves()) need(leaf);
}

template <class Enter, class Leaf>
void SpeedWalker::walk(std::span<const std::span<const std::byte>> blocks, const StageTimes& before,
                       Enter enter, Leaf leaf) const {
  const std::span<const synth::PlanNode> nodes = plan_.nodes();
  std::vector<std::size_t> tops;  // the nodes right below the root, each a thread's work
  for (std::size_t n = 1; n < nodes.size(); n = ends_[n]) tops.push_back(n);
  std::vector<Path> paths;
  for (int thread = 0; thread < threads_; ++thread) {
    paths.emplace_back(limit_, stages_, plan_, word_bytes_, worst_bytes_, blocks, before);
  }
  const auto leaves_of = [&](Path& path, const synth::PlanNode& node) {
    for (std::uint32_t i = node.leaves; i < node.leaves + node.leaf_count; ++i) {
      leaf(i, path.leaf(node.depth, plan_.leaves()[i]));
    }
  };
  if (!enter(before)) return;
  leaves_of(paths.front(), nodes[0]);
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
  for (std::size_t top = 0; top < tops.size(); ++top) {
    Path& path = paths[static_cast<std::size_t>(omp_get_thread_num())];
    for (std::size_t n = tops[top]; n < ends_[tops[top]];) {
      if (!enter(path.run(nodes[n]))) {
        n = ends_[n];
        continue;
      }
      leaves_of(path, nodes[n]);
      ++n;
    }
  }
}

std::vector<std::uint8_t> SpeedWalker::fast_enough(
    std::span<const std::span<const std::byte>> blocks, const StageTimes& before) const {
  std::vector<std::uint8_t> fast(plan_.leaves().size());
  walk(
      blocks, before, [&](const StageTimes& times) { return limit_.may_be_fast_enough(times); },
      [&](std::uint32_t leaf, const Predicted& predicted) {
        fast[leaf] = limit_.fast_enough(predicted.times, predicted.out_bytes);
      });
  return fast;
}

std::vector<SpeedWalker::Predicted> SpeedWalker::predict(
    std::span<const std::span<const std::byte>> blocks, const StageTimes& before) const {
  std::vector<Predicted> predicted(plan_.leaves().size());
  walk(
      blocks, before, [](const StageTimes&) { return true; },
      [&](std::uint32_t leaf, const Predicted& one) { predicted[leaf] = one; });
  return predicted;
}

}  // namespace fpsynth::search
