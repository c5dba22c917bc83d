#include "runners/search/race/speed/fast_pipelines.hpp"

#include <algorithm>

#include "runners/codec/cpu/stage_load.hpp"

namespace fpsynth::search {

FastPipelines::FastPipelines(const SpeedLimit& limit, const Division& division,
                             const components::StageTable& stages, int threads)
    : limit_(limit),
      division_(division),
      stages_(stages),
      threads_(threads),
      blocks_(stages, limit.word_bytes(), division.longest_block()),
      walkers_(division.tails().size()) {
  limit.check(division.space());
}

std::vector<std::uint8_t> FastPipelines::behind(
    std::uint64_t prefix, std::span<const std::span<const std::byte>> chunks) {
  const std::vector<synth::PlanEdge> stages = division_.prefix(prefix);
  std::vector<codec::StageLoadMean> loads(stages.size());
  std::vector<std::vector<std::byte>> blocks;
  for (const auto chunk : chunks) {
    const auto block = blocks_.run(stages, chunk, loads);
    blocks.emplace_back(block.begin(), block.end());
  }
  StageTimes times;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t word_bytes = stages[i].on_bytes ? 1 : limit_.word_bytes();
    times = limit_.after(times, stages[i].component, word_bytes, loads[i].mean());
  }
  if (!limit_.may_be_fast_enough(times)) return {};
  const std::size_t tail = division_.group_of(prefix).tail;
  if (!walkers_[tail]) {
    const Tail& its = division_.tails()[tail];
    walkers_[tail] =
        std::make_unique<SpeedWalker>(limit_, its.plan, its.word_bytes, threads_, stages_);
  }
  const std::vector<std::span<const std::byte>> views(blocks.begin(), blocks.end());
  std::vector<std::uint8_t> fast = walkers_[tail]->fast_enough(views, times);
  if (std::ranges::find(fast, 1) == fast.end()) fast.clear();
  return fast;
}

}  // namespace fpsynth::search
