#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/compact.hpp"
#include "runners/codec/format/sections.hpp"
#include "runners/search/auto/choose.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/structure/columns.hpp"
#include "runners/search/structure/cuts.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

/// The share of the bytes that sections must save before they are kept.
constexpr double kRelevant = 0.005;

/// True if sections are smaller than one by that share.
bool pays(std::uint64_t sections, std::uint64_t one) {
  return double(sections) <= (1 - kRelevant) * double(one);
}

/// True if sections pay. Those that pay with a smaller effort are kept while they save anything: a
/// file in one, however well its method is chosen, may be larger than they are.
bool pays(const SectionChoice& sections, const SectionChoice& one) {
  bool kept = pays(sections.bytes, one.bytes);
  for (std::size_t i = 0; i < one.smaller_bytes.size(); ++i) {
    kept |= sections.bytes < one.bytes && pays(sections.smaller_bytes[i], one.smaller_bytes[i]);
  }
  return kept;
}

/// Words begin..end-1 of an input, the last ones with its trailing bytes.
data::Input part_of(const data::Input& input, std::uint64_t begin, std::uint64_t end) {
  const std::size_t word = synth::word_bytes(input.native());
  const bool last = end == input.view().words;
  const std::span<const std::byte> all = input.bytes();
  const auto bytes =
      all.subspan(begin * word, last ? all.size() - begin * word : (end - begin) * word);
  return data::Input::borrowed(input.name(), bytes, input.type()).shaped(input.shape());
}

/// The numbers of an effort for one of `sections` sections.
EffortNumbers shared(EffortNumbers numbers, std::size_t sections) {
  const auto share = [&](auto& number, std::size_t least) {
    number = std::max<std::size_t>(number / sections, std::min<std::size_t>(number, least));
  };
  share(numbers.preludes, 32);
  for (ContestRound& round : numbers.trying) share(round.left, 4);
  for (ContestRound& round : numbers.narrowing) share(round.left, 16);
  share(numbers.parents, 50);
  share(numbers.candidates, 4);
  share(numbers.race_preludes, 1);
  return numbers;
}

/// The bytes of the compact file of sections of an input.
std::uint64_t compact_bytes(const data::Input& input, const SectionChoice& choice) {
  std::vector<codec::Section> sections;
  for (const auto& [words, chosen] : choice.sections) {
    const Candidate& best = chosen.candidates.front();
    sections.push_back({words, best.method, best.chunk_words});
  }
  return codec::compacted(codec::compress_sections(input.bytes(), sections,
                                                   synth::word_bytes(input.native()), {},
                                                   choice.before))
      .size();
}

/// Looks for the sections that pay.
class Cutter {
 public:
  Cutter(const data::Input& input, const ChoiceOptions& options)
      : input_(input), options_(options) {
    CutOptions cuts;
    // Of short inputs, sections may be a sixteenth of them; shorter ones save little.
    if (const std::uint64_t words = input.view().words; words < 2 * cuts.shortest) {
      cuts.shortest = std::max<std::uint64_t>(4096, words / 16);
    }
    cuts_ = find_cuts(input, cuts);
    EffortNumbers little = EffortNumbers::of(Effort::Quick);
    little.space.chunk_words = options.numbers.space.chunk_words;
    little.chunk_lengths = options.numbers.chunk_lengths;
    little.preludes = std::min(little.preludes, options.numbers.preludes);
    little.narrowing = {{8, 50}, {32, 4}};
    little.extensions = 0;
    little.candidates = 1;
    options_.numbers = std::move(little);
    options_.smaller.clear();
    options_.compact = false;
  }

  /// The words of sections.
  std::vector<std::uint64_t> lengths() {
    const std::uint64_t all = input_.view().words;
    if (!cuts_.empty()) divide(0, all, bytes_of(0, all));
    std::ranges::sort(ends_);
    ends_.push_back(all);
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t begin = 0; const std::uint64_t end : ends_) {
      lengths.push_back(end - std::exchange(begin, end));
    }
    return lengths;
  }

 private:
  /// Cuts words begin..end-1, which make so many bytes, and then both parts, where it pays.
  void divide(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
    const auto cut =
        std::ranges::find_if(cuts_, [&](std::uint64_t at) { return at > begin && at < end; });
    if (cut == cuts_.end()) return;
    const std::uint64_t left = bytes_of(begin, *cut);
    const std::uint64_t right = bytes_of(*cut, end);
    if (!pays(left + right, bytes)) return;
    ends_.push_back(*cut);
    divide(begin, *cut, left);
    divide(*cut, end, right);
  }
  std::uint64_t bytes_of(std::uint64_t begin, std::uint64_t end) const {
    return choose(part_of(input_, begin, end), options_).candidates.front().bytes;
  }

  const data::Input& input_;
  ChoiceOptions options_;
  std::vector<std::uint64_t> cuts_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace

SectionChoice choose_for(const data::Input& input, std::span<const std::uint64_t> lengths,
                         const ChoiceOptions& options) {
  ChoiceOptions own = options;
  own.numbers = shared(options.numbers, lengths.size());
  for (EffortNumbers& numbers : own.smaller) numbers = shared(numbers, lengths.size());
  SectionChoice choice;
  // A section of a compact file costs less than a compact file.
  own.compact &= input.bytes().size() <= codec::kMostCompact;
  if (lengths.size() > 1 && !own.compact) {
    choice.bytes = codec::sections_front_bytes(lengths.size());
  }
  choice.smaller_bytes.assign(own.smaller.size(), choice.bytes);
  std::uint64_t begin = 0;
  for (const std::uint64_t words : lengths) {
    choice.sections.push_back({words, choose(part_of(input, begin, begin + words), own)});
    const Choice& chosen = choice.sections.back().choice;
    choice.bytes += chosen.candidates.front().bytes;
    for (std::size_t i = 0; i < own.smaller.size(); ++i) {
      choice.smaller_bytes[i] += chosen.smaller_bytes[i];
    }
    begin += words;
  }
  if (own.compact && lengths.size() > 1) choice.bytes = compact_bytes(input, choice);
  input.check_unchanged();
  return choice;
}

SectionChoice choose_sections(const data::Input& input, const ChoiceOptions& options) {
  const SectionChoice one =
      choose_for(input, std::array{std::uint64_t(input.view().words)}, options);
  SectionChoice best = one;
  const auto take = [&](SectionChoice other) {
    if (!pays(other, one) || other.bytes >= best.bytes) return;
    best = std::move(other);
    best.single = one.sections.front().choice.candidates.front();
  };
  if (options.cuts) {
    const std::vector<std::uint64_t> lengths = Cutter(input, options).lengths();
    if (lengths.size() > 1) take(choose_for(input, lengths, options));
  }
  const bool turns = options.numbers.preludes > 0 && input.bytes().size() <= most_held(options);
  const Columns columns = options.columns && turns ? find_columns(input) : Columns();
  if (!columns.lengths.empty()) {
    SearchOptions turning;
    turning.threads = options.threads;
    turning.stages = options.stages;
    const TransformedInput turned = transform_input(input, columns.turn, turning);
    SectionChoice found = choose_for(turned.input.shaped({}), columns.lengths, options);
    found.before = columns.turn;
    if (options.compact && input.bytes().size() <= codec::kMostCompact) {
      found.bytes = compact_bytes(input, found);
    } else {
      found.bytes += turned.overhead_bytes;
    }
    for (std::uint64_t& bytes : found.smaller_bytes) bytes += turned.overhead_bytes;
    if (restores(input, columns.turn, turning)) take(std::move(found));
  }
  return best;
}

}  // namespace fpsynth::search
