#include "runners/data/structure/copies.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "components/preludes/match.hpp"
#include "runners/codec/format/copies.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/data/structure/side_bits.hpp"
#include "runners/data/structure/suggester.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::data {
namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 22;
/// The least share of the words that copies take out to be worth it.
constexpr double kLeastCopied = 1.0 / 32;
/// The share of the candidates that may begin with MATCH.
constexpr std::size_t kOneIn = 4;

/// This file's instances of the codec's templates.
struct Level {};

/// The words that are left without copies.
template <class W>
struct LeftWords {
  std::vector<W> words;
  double share = 0;       ///< of the words
  double other_bits = 0;  ///< of the side data and of the other words, for each of the words
};

template <class W>
LeftWords<W> literals_of(const Words<W>& words, std::uint64_t sample_words) {
  LeftWords<W> left;
  const std::size_t count = std::min(words.size(), kMostWords);
  left.words.resize(count);
  words.copy(0, left.words);
  auto* const bytes = reinterpret_cast<std::byte*>(left.words.data());
  codec::SideMemory<W> side;
  using Taker = codec::CopyTaker<Level, W, preludes::Match>;
  if (Taker::run(bytes, bytes, count, side.data) != codec::Status::Ok) throw std::bad_alloc();
  const std::vector<std::uint32_t> numbers(side.data.selectors,
                                           side.data.selectors + side.data.selector_words);
  const std::size_t copies = numbers.size() / 3;
  const std::size_t literals = count - (copies > 0 ? numbers[2 * copies - 1] : 0);
  left.words.resize(literals);
  left.share = double(literals) / double(count);
  // Zeros in the place of copies are chunks, too.
  left.other_bits = (1 - left.share) * bits_of_side(std::vector<W>(kWindow), kWindow, kWindow);
  if (copies > 0) {
    left.other_bits +=
        bits_of_side(numbers, kWindow, sample_words) * double(numbers.size()) / double(count);
  }
  return left;
}

}  // namespace

template <class W>
void add_matches(const Words<W>& words, const StructureOptions& options, Structure& found) {
  if (words.size() < 2) return;
  StructureOptions fewer = options;
  fewer.candidates = options.candidates / kOneIn;
  if (fewer.candidates == 0) return;
  const LeftWords<W> left = literals_of(words, options.sample_words);
  if (left.share > 1 - kLeastCopied) return;
  const Structure behind =
      find_unmatched(Words<W>(std::as_bytes(std::span(left.words))), found.type, fewer);
  const synth::PreludeStep match{preludes::Match::wire, 0, {}};
  const std::string reason =
      fmt::format("{:.2g} % of the words are copies of earlier ones", 100 * (1 - left.share));
  std::vector<PreludeCandidate> candidates = {{{{match}}, reason, behind.bits, 0}};
  for (PreludeCandidate candidate : behind.candidates) {
    std::vector<synth::PreludeStep>& steps = candidate.prelude.steps;
    if (steps.size() == preludes::kMostSteps) continue;
    steps.insert(steps.begin(), match);
    candidate.reason = reason + "; " + candidate.reason;
    candidates.push_back(std::move(candidate));
  }
  for (PreludeCandidate& candidate : candidates) {
    candidate.bits = left.share * candidate.bits + left.other_bits;
    candidate.score = found.bits / candidate.bits;
  }
  const auto bits = [](const PreludeCandidate& candidate) {
    return std::pair(candidate.bits, candidate.prelude.steps.size());
  };
  std::ranges::stable_sort(candidates, {}, bits);
  if (candidates.size() > fewer.candidates) candidates.resize(fewer.candidates);
  found.candidates.insert(found.candidates.end(), candidates.begin(), candidates.end());
  std::ranges::stable_sort(found.candidates, {}, bits);
  if (found.candidates.size() > options.candidates) found.candidates.resize(options.candidates);
}

template void add_matches(const Words<std::uint64_t>&, const StructureOptions&, Structure&);
template void add_matches(const Words<std::uint32_t>&, const StructureOptions&, Structure&);

}  // namespace fpsynth::data
