#include "runners/search/choice/samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "synth/common/words.hpp"

namespace fpsynth::search {

Places::Places(std::size_t words, std::uint64_t most) : words_(words) {
  constexpr double kGolden = 0.618033988749894848;
  std::set<std::uint64_t> taken;
  for (std::uint64_t i = 0; order_.size() < std::min(most, all()); ++i) {
    const double turns = (double(i) + 0.5) * kGolden;
    auto place = static_cast<std::uint64_t>((turns - std::floor(turns)) * double(all()));
    while (!taken.insert(place).second) place = (place + 1) % all();
    order_.push_back(place);
  }
}

std::vector<std::uint64_t> Places::first(std::uint64_t count) const {
  std::vector<std::uint64_t> blocks(
      order_.begin(),
      order_.begin() + std::ptrdiff_t(std::min<std::uint64_t>(count, this->count())));
  std::ranges::sort(blocks);
  return blocks;
}

std::size_t Places::words_of(std::uint64_t block) const {
  return std::min<std::size_t>(kBlockWords, words_ - block * kBlockWords);
}

Sample::Sample(const TransformedInput& input, std::uint64_t most)
    : places_(input.input.view().words, most),
      type_(input.input.type()),
      name_(input.input.name()),
      overhead_bytes_(input.overhead_bytes) {
  const std::size_t word_bytes = synth::word_bytes(type_.precision);
  for (const std::uint64_t block : places_.first(places_.count())) {
    const auto bytes = input.input.bytes().subspan(block * kBlockWords * word_bytes,
                                                   places_.words_of(block) * word_bytes);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
}

data::Input Sample::blocks(std::uint64_t count) const {
  const std::size_t word_bytes = synth::word_bytes(type_.precision);
  if (count >= places_.count()) return data::Input::borrowed(name_, bytes_, type_);
  const std::vector<std::uint64_t> all = places_.first(places_.count());
  std::vector<std::byte> some;
  for (const std::uint64_t block : places_.first(count)) {
    const std::size_t at = std::size_t(std::ranges::lower_bound(all, block) - all.begin());
    const auto bytes = std::span(bytes_).subspan(at * kBlockWords * word_bytes,
                                                 places_.words_of(block) * word_bytes);
    some.insert(some.end(), bytes.begin(), bytes.end());
  }
  return {name_, std::move(some), type_};
}

double Sample::scale(std::uint64_t count) const {
  std::size_t words = 0;
  for (const std::uint64_t block : places_.first(count)) words += places_.words_of(block);
  return double(places_.words()) / double(words);
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
