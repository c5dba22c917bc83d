#include "runners/search/auto/samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "components/words/word_type.hpp"
#include "runners/codec/prelude_files.hpp"
#include "runners/search/structure/transformed.hpp"

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
               std::span<const std::uint64_t> heads, double scale)
    : places_(input.input.view().words, most, heads, tail_of(input.input)),
      type_(input.input.type()),
      scale_(scale),
      original_bytes_(std::uint64_t(scale * double(input.input.bytes().size()))),
      overhead_bytes_(std::uint64_t(scale * double(input.overhead_bytes))) {
  for (const Places::Block& block : places_.first(places_.count())) {
    const auto bytes = input.input.bytes().subspan(block.number * kBlockWords * word_bytes(),
                                                   block.words * word_bytes());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    numbers_.push_back(block.number);
  }
}

Sample::Sample(const data::Input& input, Places places, std::vector<std::byte> words,
               std::uint64_t overhead_bytes)
    : places_(std::move(places)),
      type_(input.type()),
      original_bytes_(input.bytes().size()),
      overhead_bytes_(overhead_bytes),
      bytes_(std::move(words)) {
  for (const Places::Block& block : places_.first(places_.count())) {
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

/// Blocks of what an input is behind preludes, without transforming all of it.
class Windows {
 public:
  virtual ~Windows() = default;
  /// The words of these blocks behind a prelude of steps that can be computed so.
  virtual std::vector<std::byte> read(const synth::Prelude& prelude,
                                      std::span<const Places::Block> blocks) = 0;
  /// The words of the input, each once.
  virtual std::span<const std::byte> distinct() = 0;
};

namespace {

template <class W>
class WindowsOf : public Windows {
 public:
  explicit WindowsOf(std::span<const std::byte> bytes) : words_(bytes) {
    transformed_.emplace(words_, nullptr);
  }

  std::vector<std::byte> read(const synth::Prelude& prelude,
                              std::span<const Places::Block> blocks) override {
    if (std::ranges::find(prelude.steps, preludes::Dict::wire, &synth::PreludeStep::kind) !=
        prelude.steps.end()) {
      distinct();
    }
    std::vector<std::byte> all;
    std::vector<W> words;
    for (const Places::Block& block : blocks) {
      transformed_->read(prelude, {block.number * kBlockWords, block.words}, words);
      const auto bytes = std::as_bytes(std::span(words));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }
  std::span<const std::byte> distinct() override {
    if (!dictionary_) {
      std::unordered_map<W, W> words;
      for (std::size_t i = 0; i < words_.size(); ++i) words.emplace(words_[i], 0);
      dictionary_.emplace(std::move(words));
      transformed_.emplace(words_, &*dictionary_);
    }
    return std::as_bytes(std::span(dictionary_->values));
  }

 private:
  Words<W> words_;
  std::optional<Dictionary<W>> dictionary_;
  std::optional<Transformed<W>> transformed_;
};

/// True if each word behind the prelude follows from few others: ranks, from those of the input
/// alone and of the integers behind a first step with exceptions (Transformed).
bool has_windows(const synth::Prelude& prelude) {
  using preludes::Shape;
  return std::ranges::all_of(prelude.steps, [&](const synth::PreludeStep& step) {
    const Shape shape = synth::prelude_traits(step.kind).shape;
    if (shape == Shape::Ranked) {
      const Shape first = synth::prelude_traits(prelude.steps.front().kind).shape;
      const std::ptrdiff_t place = &step - prelude.steps.data();
      return place == 0 || (place == 1 && preludes::has_exceptions(first));
    }
    return std::ranges::count(
               std::array{Shape::Mapped, Shape::Lagged, Shape::Permuted, Shape::Divided,
                          Shape::Excepted, Shape::Selected, Shape::Predicted},
               shape) > 0;
  });
}

/// Parts of an input, together of so many bytes, at equal distances.
data::Input parts_of_all(const data::Input& input, std::uint64_t bytes) {
  constexpr std::uint64_t kParts = 4;
  const std::uint64_t block = kBlockWords * synth::word_bytes(input.native());
  const std::uint64_t part = std::min<std::uint64_t>(
      input.bytes().size(), std::max<std::uint64_t>(1, bytes / kParts / block) * block);
  const std::uint64_t apart = (input.bytes().size() - part) / (kParts - 1) / block * block;
  std::vector<std::byte> all;
  for (std::uint64_t i = 0; i < kParts; ++i) {
    const auto some = input.bytes().subspan(i * apart, part);
    all.insert(all.end(), some.begin(), some.end());
  }
  return input.with_words(std::move(all));
}

}  // namespace

Sampler::Sampler(const data::Input& input, std::uint64_t largest, const SearchOptions& options)
    : input_(input), options_(options), part_bytes_(largest) {
  if (input.bytes().size() <= largest || input.in_chunks_of()) return;
  words::with_word(synth::word_bytes(input.native()),
                   [&]<class W>() { windows_ = std::make_unique<WindowsOf<W>>(input.bytes()); });
}

Sampler::~Sampler() = default;

Sample Sampler::operator()(const synth::Prelude& prelude, std::uint64_t most,
                           std::span<const std::uint64_t> heads) {
  if (!windows_) return {transformed(prelude), most, heads};
  if (!has_windows(prelude)) {
    if (!parts_) parts_ = parts_of_all(input_, part_bytes_);
    return {transformed(prelude), most, heads,
            double(input_.bytes().size()) / double(parts_->bytes().size())};
  }
  Places places(input_.view().words, most, heads);
  std::vector<std::byte> words = windows_->read(prelude, places.first(places.count()));
  const auto overhead = std::uint64_t(overhead_of(prelude, places));
  return {input_, std::move(places), std::move(words), overhead};
}

double Sampler::overhead_of(const synth::Prelude& prelude, const Places& places) {
  const std::size_t word_bytes = synth::word_bytes(input_.native());
  const std::vector<Places::Block> blocks = places.first(places.count());
  codec::CodecOptions codec;
  codec.stages = options_.stages;
  codec.threads = options_.threads;
  double sum = 0;
  synth::Prelude before;
  for (const synth::PreludeStep& step : prelude.steps) {
    const auto bytes_of = [&](std::span<const std::byte> words) {
      return double(codec::transform(words, {{step}}, word_bytes, codec).overhead_bytes());
    };
    const preludes::Shape shape = synth::prelude_traits(step.kind).shape;
    if (shape == preludes::Shape::Ranked) {
      sum += bytes_of(codec::transform(windows_->distinct(), before, word_bytes, codec).bytes);
    } else if (preludes::takes_values(shape) || preludes::has_exceptions(shape)) {
      const std::vector<std::byte> words = windows_->read(before, blocks);
      const double least = bytes_of({});
      sum +=
          least + (bytes_of(words) - least) * double(input_.bytes().size()) / double(words.size());
    }
    before.steps.push_back(step);
  }
  return sum;
}

TransformedInput Sampler::transformed(const synth::Prelude& prelude) {
  const data::Input& input = parts_ ? *parts_ : input_;
  if (prelude.steps.size() < 2) return transform_input(input, prelude, options_);
  const synth::Prelude first{{prelude.steps.front()}};
  if (first != first_ || behind_first_.empty()) {
    behind_first_.clear();
    behind_first_.push_back(transform_input(input, first, options_));
    first_ = first;
  }
  const TransformedInput& begun = behind_first_.front();
  TransformedInput made =
      transform_input(begun.input, {{prelude.steps.begin() + 1, prelude.steps.end()}}, options_);
  made.overhead_bytes += begun.overhead_bytes;
  return made;
}

}  // namespace fpsynth::search
