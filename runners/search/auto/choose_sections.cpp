#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/compact.hpp"
#include "runners/codec/format/archive.hpp"
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

SearchOptions turning(const ChoiceOptions& choice) {
  SearchOptions options;
  options.threads = choice.threads;
  options.stages = choice.stages;
  return options;
}

/// The numbers of an effort for one of `sections` sections, so that all of them take about as long
/// as an input in one.
EffortNumbers shared(EffortNumbers numbers, std::size_t sections) {
  const auto share = [&](auto& number, std::size_t least) {
    number = std::max<std::size_t>(number / sections, std::min<std::size_t>(number, least));
  };
  share(numbers.preludes, 32);
  share(numbers.structure_words, 8192);
  for (ContestRound& round : numbers.trying) {
    share(round.blocks, 1);
    share(round.left, 4);
  }
  share(numbers.blocks, 2);
  for (ContestRound& round : numbers.narrowing) {
    share(round.blocks, 4);
    share(round.left, 16);
  }
  share(numbers.parents, 25);
  share(numbers.tables_left, 8);
  share(numbers.table_parents, 2);
  share(numbers.candidates, 4);
  share(numbers.race_blocks, 64);
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

/// The words of the sections between cuts that pay with little effort.
std::vector<std::uint64_t> cut_lengths(const data::Input& input, ChoiceOptions options) {
  CutOptions wanted;
  wanted.bits_a_word = options.numbers.cut_bits;
  const std::uint64_t all = input.view().words;
  // Of short inputs, sections may be a sixteenth of them; shorter ones save little.
  if (all < 2 * wanted.shortest) wanted.shortest = std::max<std::uint64_t>(4096, all / 16);
  const std::vector<std::uint64_t> cuts = find_cuts(input, wanted);
  EffortNumbers little = EffortNumbers::of(Effort::Quick);
  little.space.chunk_words = options.numbers.space.chunk_words;
  little.chunk_lengths = options.numbers.chunk_lengths;
  little.preludes = std::min(little.preludes, options.numbers.preludes);
  little.narrowing = {{8, 50}, {32, 4}};
  little.extensions = 0;
  little.candidates = 1;
  options.numbers = std::move(little);
  options.smaller.clear();
  options.compact = false;
  const auto bytes_of = [&](std::uint64_t begin, std::uint64_t end) {
    return choose(part_of(input, begin, end), options).candidates.front().bytes;
  };
  std::set<std::uint64_t> ends = {0, all};
  // Cuts what is between two of these, and makes so many bytes, and then both parts, where it pays.
  const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)> divide =
      [&](std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
        const auto cut =
            std::ranges::find_if(cuts, [&](std::uint64_t at) { return at > begin && at < end; });
        if (cut == cuts.end()) return;
        const std::uint64_t left = bytes_of(begin, *cut), right = bytes_of(*cut, end);
        if (!pays(left + right, bytes)) return;
        ends.insert(*cut);
        divide(begin, *cut, left);
        divide(*cut, end, right);
      };
  if (!cuts.empty()) divide(0, all, bytes_of(0, all));
  std::vector<std::uint64_t> lengths;
  for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
    lengths.push_back(*end - *std::prev(end));
  }
  return lengths;
}

}  // namespace

SectionChoice choose_for(const data::Input& input, std::span<const std::uint64_t> lengths,
                         const ChoiceOptions& options, const synth::Prelude& before) {
  ChoiceOptions own = options;
  own.numbers = shared(options.numbers, lengths.size());
  for (EffortNumbers& numbers : own.smaller) numbers = shared(numbers, lengths.size());
  // A section of a compact file costs less than a compact file.
  own.compact &= input.bytes().size() <= codec::kMostCompact;
  const TransformedInput turned = transform_input(input, before, turning(options));
  const data::Input words_behind = before.empty() ? turned.input : turned.input.shaped({});
  SectionChoice choice;
  choice.before = before;
  choice.bytes = turned.overhead_bytes;
  if (lengths.size() > 1 && before.empty() && !own.compact) {
    choice.bytes = codec::prelude_header_bytes(0);
  }
  choice.smaller_bytes.assign(own.smaller.size(), choice.bytes);
  std::uint64_t begin = 0;
  for (const std::uint64_t words : lengths) {
    choice.sections.push_back({words, choose(part_of(words_behind, begin, begin + words), own)});
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
    const std::vector<std::uint64_t> lengths = cut_lengths(input, options);
    if (lengths.size() > 1) take(choose_for(input, lengths, options));
  }
  if (options.columns && options.numbers.preludes > 0 &&
      input.bytes().size() <= most_held(options)) {
    const auto& [turn, lengths] = find_columns(input);
    if (!lengths.empty() && restores(input, turn, turning(options))) {
      take(choose_for(input, lengths, options, turn));
    }
  }
  return best;
}

}  // namespace fpsynth::search
