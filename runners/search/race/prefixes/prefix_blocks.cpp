#include "runners/search/race/prefixes/prefix_blocks.hpp"

#include <cstring>
#include <utility>

namespace fpsynth::search {

PrefixBlocks::PrefixBlocks(const components::StageTable& stages, std::size_t word_bytes,
                           std::size_t longest)
    : stages_(stages), word_bytes_(word_bytes), in_(longest), out_(longest), scratch_(longest) {}

std::span<const std::byte> PrefixBlocks::run(std::span<const synth::PlanEdge> stages,
                                             std::span<const std::byte> chunk,
                                             std::span<codec::StageLoadMean> loads) {
  if (stages.empty()) return chunk;
  std::memcpy(in_.data(), chunk.data(), chunk.size());
  std::size_t bytes = chunk.size();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const synth::PlanEdge& stage = stages[i];
    const std::size_t word = stage.on_bytes ? 1 : word_bytes_;
    const components::StageOps& ops = stages_.at(stage.component.family, word);
    const components::Extent extent = ops.encode(in_.data(), bytes / word, out_.data(),
                                                 stage.component.parameter, scratch_.view());
    if (!loads.empty()) loads[i].add(bytes, extent, word);
    bytes = std::size_t{extent.words} * word;
    std::swap(in_, out_);
  }
  return {in_.data(), bytes};
}

}  // namespace fpsynth::search
