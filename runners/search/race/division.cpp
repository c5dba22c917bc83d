#include "runners/search/race/division.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "synth/common/raise.hpp"

namespace fpsynth::search {
namespace {

/// Bytes of the longest block behind so many stages of a space.
std::size_t longest_behind(const synth::Space& space, std::size_t word_bytes, unsigned stages) {
  std::size_t bytes = space.chunk_words * word_bytes;
  for (unsigned stage = 0; stage < stages; ++stage) {
    std::size_t longest = bytes;
    for (const auto* choices : {&space.components, &space.last}) {
      for (const synth::Component component : *choices) {
        for (const std::size_t size : {word_bytes, std::size_t{1}}) {
          longest = std::max(longest, synth::worst_case(component, size, bytes / size) * size);
        }
      }
    }
    bytes = longest;
  }
  return bytes;
}

/// The space with `stages` stages and every cut.
synth::Space with_stages(const synth::Space& space, unsigned stages) {
  synth::Space other = space;
  other.stages = stages;
  other.cuts.clear();
  for (unsigned cut = 0; cut <= stages; ++cut) other.cuts.push_back(cut);
  return other;
}

}  // namespace

Division::Division(const synth::Space& space, std::size_t word_bytes, std::uint64_t most_leaves)
    : space_(space.without_preludes()), word_bytes_(word_bytes) {
  space_.validate();
  if (!space_.only.empty()) {
    throw Error("the space is a list of pipelines, which is searched whole; leave the race out");
  }
  for (const synth::Component component : space_.components) {
    if (synth::family(component.family).identity) {
      has_identity_ = true;
      identity_ = component;
    } else {
      choices_.push_back(component);
    }
  }
  tail_stages_ = space_.stages;
  while (tail_stages_ > 1 &&
         synth::plan_size(with_stages(space_, tail_stages_)).leaves > most_leaves) {
    --tail_stages_;
  }
  input_bytes_ = longest_behind(space_, word_bytes, longest_prefix());
  output_bytes_ = longest_behind(space_, word_bytes, space_.stages);
  const unsigned shortest = has_identity_ ? 0 : longest_prefix();
  for (unsigned stages = shortest; stages <= longest_prefix(); ++stages) {
    for (unsigned bytes = 0; bytes <= stages; ++bytes) add_group(stages - bytes, bytes);
  }
}

bool Division::allowed(unsigned words, unsigned bytes) const {
  return std::ranges::any_of(space_.cuts, [&](unsigned cut) {
    if (!has_identity_) return words == cut && words + bytes == space_.stages;
    // NULs fill up both sides of the cut; the last stage is never a NUL.
    return bytes == 0 ? cut == space_.stages && words <= cut
                      : words <= cut && bytes + cut <= space_.stages;
  });
}

void Division::add_group(unsigned words, unsigned bytes) {
  synth::Space tail = space_;
  tail.stages = tail_stages_;
  tail.cuts.clear();
  for (unsigned cut = 0; cut <= (bytes ? 0 : tail_stages_); ++cut) {
    if (allowed(words + cut, bytes + tail_stages_ - cut)) tail.cuts.push_back(cut);
  }
  if (tail.cuts.empty()) return;
  if (words + bytes > 0) tail.components = choices_;
  const std::size_t word_bytes = bytes ? 1 : word_bytes_;
  std::uint64_t count = 1;
  for (unsigned stage = 0; stage < words + bytes; ++stage) {
    if (__builtin_mul_overflow(count, choices_.size(), &count)) count = UINT64_MAX;
  }
  const std::uint64_t first = prefixes();
  if (count > kMostPrefixes || first + count > kMostPrefixes) {
    raise("the space has {} pipelines, more than a race divides; use fewer stages or components",
          space_.pipelines());
  }
  if (count == 0) return;
  groups_.push_back({words, bytes, first, count, tail_for(tail, word_bytes)});
}

std::size_t Division::tail_for(const synth::Space& space, std::size_t word_bytes) {
  for (std::size_t tail = 0; tail < tails_.size(); ++tail) {
    if (tails_[tail].word_bytes == word_bytes && tails_[tail].plan.space() == space) return tail;
  }
  Tail& tail = tails_.emplace_back(
      Tail{synth::Plan(space, (input_bytes_ + word_bytes - 1) / word_bytes), word_bytes, {}});
  tail.id_of_leaf.resize(tail.plan.leaves().size());
  const auto leaves = tail.plan.leaf_of_id();
  for (std::uint64_t id = leaves.size(); id-- > 0;) tail.id_of_leaf[leaves[id]] = id;
  return tails_.size() - 1;
}

std::uint64_t Division::prefixes() const {
  return groups_.empty() ? 0 : groups_.back().first + groups_.back().count;
}

std::uint64_t Division::pipelines() const {
  std::uint64_t pipelines = 0;
  for (const PrefixGroup& group : groups_) {
    pipelines += group.count * tails_[group.tail].plan.leaves().size();
  }
  return pipelines;
}

const PrefixGroup& Division::group_of(std::uint64_t number) const {
  const auto behind = std::ranges::upper_bound(groups_, number, {}, &PrefixGroup::first);
  return *(behind - 1);
}

std::vector<synth::PlanEdge> Division::prefix(std::uint64_t number) const {
  const PrefixGroup& group = group_of(number);
  std::vector<synth::PlanEdge> stages(group.words + group.bytes);
  std::uint64_t digits = number - group.first;
  for (std::size_t stage = stages.size(); stage-- > 0;) {
    stages[stage] = {choices_[digits % choices_.size()], stage >= group.words};
    digits /= choices_.size();
  }
  return stages;
}

synth::Pipeline Division::pipeline(std::uint64_t number, std::uint32_t leaf) const {
  const PrefixGroup& group = group_of(number);
  const Tail& tail = tails_[group.tail];
  const synth::Pipeline end =
      synth::without_identities(tail.plan.space().at(tail.id_of_leaf[leaf]));
  synth::Pipeline pipeline;
  for (const synth::PlanEdge& stage : prefix(number)) pipeline.stages.push_back(stage.component);
  pipeline.cut = group.words + (group.bytes ? 0 : end.cut);
  pipeline.stages.insert(pipeline.stages.end(), end.stages.begin(), end.stages.end());
  return pipeline;
}

std::uint64_t Division::id_of(const synth::Pipeline& pipeline) const {
  const unsigned words = pipeline.cut;
  const auto bytes = static_cast<unsigned>(pipeline.stages.size() - pipeline.cut);
  for (const unsigned cut : space_.cuts) {
    if (words > cut || bytes + cut > space_.stages) continue;
    if (bytes == 0 && cut != space_.stages) continue;
    synth::Pipeline padded;
    padded.cut = cut;
    padded.stages.assign(cut - words, identity_);
    padded.stages.insert(padded.stages.end(), pipeline.stages.begin(),
                         pipeline.stages.begin() + words);
    padded.stages.insert(padded.stages.end(), space_.stages - cut - bytes, identity_);
    padded.stages.insert(padded.stages.end(), pipeline.stages.begin() + words,
                         pipeline.stages.end());
    if (const auto id = space_.id_of(padded)) return *id;
  }
  raise("the space has no '{}'", synth::to_string(pipeline));
}

PrefixBlocks::PrefixBlocks(const components::StageTable& stages, std::size_t word_bytes,
                           std::size_t longest)
    : stages_(stages), word_bytes_(word_bytes), in_(longest), out_(longest), scratch_(longest) {}

std::span<const std::byte> PrefixBlocks::run(std::span<const synth::PlanEdge> stages,
                                             std::span<const std::byte> chunk) {
  if (stages.empty()) return chunk;
  std::memcpy(in_.data(), chunk.data(), chunk.size());
  std::size_t bytes = chunk.size();
  for (const synth::PlanEdge& stage : stages) {
    const std::size_t word = stage.on_bytes ? 1 : word_bytes_;
    const components::StageOps& ops = stages_.at(stage.component.family, word);
    const components::Extent extent = ops.encode(in_.data(), bytes / word, out_.data(),
                                                 stage.component.parameter, scratch_.view());
    bytes = std::size_t{extent.words} * word;
    std::swap(in_, out_);
  }
  return {in_.data(), bytes};
}

}  // namespace fpsynth::search
