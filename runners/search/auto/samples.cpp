#include "runners/search/auto/samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace fpsynth::search {

std::vector<std::uint64_t> heads_of(std::span<const synth::Prelude> preludes) {
  std::set<std::uint64_t> all;
  for (const synth::Prelude& prelude : preludes) {
    std::uint64_t sum = 0;
    for (const synth::PreludeStep& step : prelude.steps) {
      if (synth::prelude_traits(step.kind).shape != preludes::Shape::Lagged) continue;
      sum += step.parameter;
      for (const std::uint64_t words : {step.parameter, sum}) {
        all.insert((words + kBlockWords - 1) / kBlockWords);
      }
    }
  }
  std::vector<std::uint64_t> heads;
  for (const std::uint64_t head : all) {
    if (heads.empty() || head >= 2 * heads.back()) heads.push_back(head);
  }
  return heads;
}

Places::Places(std::size_t words, std::uint64_t most, std::span<const std::uint64_t> heads,
               std::uint64_t tail)
    : words_(words), tail_(std::min(tail, all())) {
  for (const std::uint64_t head : heads) {
    if (head < tail_) heads_.push_back(head);
  }
  if (tail_ < all()) heads_.push_back(tail_);
  constexpr double kGolden = 0.618033988749894848;
  std::set<std::uint64_t> taken;
  double turns = kGolden / 2;
  const auto take = [&](std::uint64_t begin, std::uint64_t end) {
    turns += kGolden;
    turns -= std::floor(turns);
    std::uint64_t place = begin + static_cast<std::uint64_t>(turns * double(end - begin));
    while (!taken.insert(place).second) place = place + 1 < end ? place + 1 : begin;
    order_.push_back(place);
  };
  if (most == 0 || words == 0) return;
  for (std::size_t stratum = 0; stratum <= heads_.size(); ++stratum) {
    take(stratum > 0 ? heads_[stratum - 1] : 0, stratum < heads_.size() ? heads_[stratum] : all());
  }
  while (order_.size() < std::min({most, tail_ + 1, all()})) take(0, tail_);
  while (order_.size() < std::min(most, all())) take(tail_, all());
}

std::vector<Places::Block> Places::first(std::uint64_t count) const {
  const std::size_t strata = heads_.size() + 1;
  const std::size_t taken =
      std::min<std::size_t>(order_.size(), std::max<std::uint64_t>(count, strata));
  std::vector<std::uint64_t> numbers(order_.begin(), order_.begin() + std::ptrdiff_t(taken));
  std::ranges::sort(numbers);
  std::vector<double> sampled(strata), whole(strata);
  std::vector<Block> blocks;
  for (const std::uint64_t number : numbers) {
    blocks.push_back({number, words_of(number), 0});
    sampled[stratum_of(number)] += double(blocks.back().words);
  }
  for (std::size_t stratum = 0; stratum < strata; ++stratum) {
    const auto begin = double(stratum > 0 ? heads_[stratum - 1] * kBlockWords : 0);
    whole[stratum] =
        (stratum < heads_.size() ? double(heads_[stratum] * kBlockWords) : double(words_)) - begin;
  }
  for (Block& block : blocks) {
    const std::size_t stratum = stratum_of(block.number);
    block.weight = whole[stratum] / sampled[stratum];
  }
  return blocks;
}

namespace {

/// The first block after which all words are equal, for Places: MATCH leaves many.
std::uint64_t tail_of(const data::Input& input) {
  const std::size_t words = input.view().words, word_bytes = synth::word_bytes(input.native());
  const auto word = [&](std::size_t i) {
    return input.bytes().subspan(i * word_bytes, word_bytes);
  };
  std::size_t begin = words;
  while (begin > 0 && std::ranges::equal(word(begin - 1), word(words - 1))) --begin;
  const std::uint64_t block = (begin + kBlockWords - 1) / kBlockWords;
  return block > 0 ? block : Places::kNoTail;
}

}  // namespace

Sample::Sample(const TransformedInput& input, std::uint64_t most,
               std::span<const std::uint64_t> heads)
    : places_(input.input.view().words, most, heads, tail_of(input.input)),
      type_(input.input.type()),
      original_bytes_(input.input.bytes().size()),
      overhead_bytes_(input.overhead_bytes) {
  for (const Places::Block& block : places_.first(places_.count())) {
    const auto bytes = input.input.bytes().subspan(block.number * kBlockWords * word_bytes(),
                                                   block.words * word_bytes());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    numbers_.push_back(block.number);
  }
}

std::span<const std::byte> Sample::bytes_of(const Places::Block& block) const {
  const auto at = std::ranges::lower_bound(numbers_, block.number) - numbers_.begin();
  return std::span(bytes_).subspan(std::size_t(at) * kBlockWords * word_bytes(),
                                   block.words * word_bytes());
}

data::Input Sample::input(std::uint64_t count) const {
  std::vector<Places::Block> blocks = places_.first(count);
  if (places_.tail() < places_.all()) {
    // As many of the tail, each like the one that was taken, as if all were spread over the input.
    const std::size_t size = blocks.size();
    const double before = double(size) * double(places_.tail()) / double(places_.all());
    blocks = places_.first(std::uint64_t(std::ceil(before)) + 1);
    blocks.resize(std::max(size, blocks.size()), Places::Block(blocks.back()));
  }
  std::vector<std::byte> some;
  for (const Places::Block& block : blocks) {
    const auto bytes = bytes_of(block);
    some.insert(some.end(), bytes.begin(), bytes.end());
  }
  return {"sample", std::move(some), type_};
}

TransformedInput Transformer::operator()(const synth::Prelude& prelude) {
  if (prelude.steps.size() < 2) return transform_input(input_, prelude, options_);
  const synth::Prelude first{{prelude.steps.front()}};
  if (first != first_ || behind_first_.empty()) {
    behind_first_.clear();
    behind_first_.push_back(transform_input(input_, first, options_));
    first_ = first;
  }
  const TransformedInput& begun = behind_first_.front();
  TransformedInput made =
      transform_input(begun.input, {{prelude.steps.begin() + 1, prelude.steps.end()}}, options_);
  made.overhead_bytes += begun.overhead_bytes;
  return made;
}

}  // namespace fpsynth::search
