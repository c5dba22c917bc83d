#include "runners/search/structure/structure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "components/preludes/registry.hpp"
#include "components/words/word_type.hpp"
#include "runners/codec/format/copies.hpp"
#include "runners/codec/format/side_data.hpp"
#include "runners/codec/format/turned_copies.hpp"
#include "runners/search/structure/suggester.hpp"
#include "runners/search/structure/transformed.hpp"
#include "runners/search/structure/words.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

using synth::Prelude;
using synth::PreludeStep;

/// A dictionary has at most so many words, and three quarters of the input's: values that stand
/// twice each, as corners of shared borders do, are half of them.
constexpr std::size_t kMostDistinct = std::size_t{1} << 20;
/// DEC is tried if so many of the sampled words are decimals: the others may all be one fill value.
constexpr double kLeastDecimals = 0.3;
/// Fewer digits may do if so large a share of the decimals has no more.
constexpr double kFewerDigits = 0.95;
/// A block's selector takes a byte, and mostly less behind its pipeline.
constexpr double kSelectorBits = 4;

template <class W>
class Finder {
 public:
  Finder(const Words<W>& words, synth::ValueType type, const StructureOptions& options)
      : words_(words), options_(options), sample_(windows_after(words_, 0, options.sample_words)) {
    found_.type = type;
    found_.words = words_.size();
    found_.shape = options.shape;
  }

  Structure find() {
    if (words_.size() < 2) {
      found_.distinct = {words_.size(), words_.size(), true};
      return std::move(found_);
    }
    count_distinct();
    if (found_.type.is_float()) {
      if constexpr (kHasDecimals) find_decimals();
      count_signs();
    }
    strides_ = strides_of(options_.shape, words_.size());
    found_.lags = find_lags(words_, strides_);
    Transformed<W> transformed(words_, dictionary_ ? &*dictionary_ : nullptr);
    found_.bits = bits_behind(transformed, {}, sample_);
    if constexpr (kHasDecimals) {
      if (found_.type.is_float()) find_fractions(transformed);
    }
    Suggester<W>(words_, transformed, options_, found_)
        .suggest(firsts(transformed), sample_, strides_);
    return std::move(found_);
  }

 private:
  /// Steps for decimals and fractions are not for shorter words.
  static constexpr bool kHasDecimals = preludes::suits<preludes::Dec, W>;

  void count_distinct() {
    std::unordered_map<W, W> distinct;
    const std::size_t most = std::min(kMostDistinct, words_.size() - words_.size() / 4);
    W before = W(~words_[0]);
    std::size_t i = 0;
    for (; i < words_.size() && distinct.size() <= most; ++i) {
      const W word = words_[i];
      if (word == before) continue;
      distinct.emplace(word, 0);
      before = word;
    }
    found_.distinct = {distinct.size(), i, i == words_.size()};
    if (found_.distinct.all) dictionary_.emplace(std::move(distinct));
  }

  /// The share of sampled words that are no exceptions of a step; calls use() with their integers.
  template <class Step, class Use>
  double exact_share(std::uint64_t parameter, const Use& use) const {
    std::size_t exact = 0, count = 0;
    const double scale = Step::scale(parameter);
    for (const Window& window : sample_) {
      count += window.words;
      for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
        W integer;
        if (!Step::forward(words_[i], scale, integer)) continue;
        ++exact;
        use(integer);
      }
    }
    return double(exact) / double(count);
  }

  void find_decimals() {
    const auto most = static_cast<unsigned>(preludes::Dec::range<W>.most);
    for (unsigned digits = 0; digits <= most; ++digits) {
      std::size_t exact = 0, bits = 0;
      const double share = exact_share<preludes::Dec>(digits, [&](W integer) {
        ++exact;
        bits += significant_bits(integer);
      });
      const double integers = exact > 0 ? double(bits) / double(exact) : 0;
      found_.decimals.push_back({digits, share, integers});
    }
    // Fewest exceptions, then fewest digits.
    best_digits_ = std::ranges::max_element(found_.decimals, {}, &DecimalDigits::share)->digits;
    found_.decimals.resize(best_digits_ + 1);
  }

  void count_signs() {
    std::size_t pairs = 0, changes = 0;
    constexpr unsigned kSign = 8 * sizeof(W) - 1;
    for (const Window& window : sample_) {
      for (std::size_t i = window.begin + 1; i < window.begin + window.words; ++i) {
        changes += (words_[i] ^ words_[i - 1]) >> kSign;
        ++pairs;
      }
    }
    found_.sign_changes = pairs > 0 ? double(changes) / double(pairs) : 0;
  }

  /// RAT, with the length of blocks that seems best.
  void find_fractions(const Transformed<W>& transformed) {
    PreludeStep rat = step(preludes::Rat::wire);
    rat.divisors = find_divisors(words_);
    const auto same = [&](const DecimalDigits& decimals) {  // DEC gives the same integers
      return decimals.share == 1 &&
             rat.divisors ==
                 preludes::Divisors(std::uint64_t(preludes::Dec::scale(decimals.digits)));
    };
    if (rat.divisors.count == 0 || std::ranges::any_of(found_.decimals, same)) return;
    std::vector<First> all;
    constexpr preludes::ParameterRange range = preludes::Rat::range<W>;
    for (rat.parameter = range.least; range.has(rat.parameter); rat.parameter *= 2) {
      all.push_back({{{rat}},
                     "values are fractions with few denominators",
                     exception_bits<preludes::Rat>(words_, transformed, sample_, rat) +
                         kSelectorBits / double(rat.parameter)});
    }
    fractions_ = all[best_of(transformed, all)];
  }

  /// The number of the first step with the fewest bits.
  std::size_t best_of(const Transformed<W>& transformed, const std::vector<First>& firsts) const {
    std::vector<double> bits;
    for (const First& first : firsts) {
      bits.push_back(bits_behind(transformed, first.prelude, sample_) + first.side_bits);
    }
    return std::size_t(std::ranges::min_element(bits) - bits.begin());
  }

  std::size_t sample_words() const { return std::max<std::size_t>(options_.sample_words, kWindow); }

  /// Adds SIG, with the digits that seem best, if that alone is fewer bits than other first steps.
  void add_significant(const Transformed<W>& transformed, std::vector<First>& firsts) const {
    if (!found_.type.is_float() || !kHasDecimals) return;
    std::vector<First> all = firsts;
    constexpr preludes::ParameterRange range = preludes::Sig::range<W>;
    double most = 0;  // more digits than another that does are not worth trying
    for (std::uint64_t digits = range.least; digits <= range.most; ++digits) {
      const double share = exact_share<preludes::Sig>(digits, [](W) {});
      if (share < kLeastDecimals || share <= most) continue;
      if (digits > 0) most = share;
      const PreludeStep sig = step(preludes::Sig::wire, digits);
      all.push_back(
          {{{sig}},
           fmt::format("{:.4g} % of the words are {}", 100 * share,
                       digits == 0 ? "singles in decimal"
                                   : "numbers of " + counted(digits, "significant digit")),
           exception_bits<preludes::Sig>(words_, transformed, sample_, sig)});
    }
    const std::size_t best = best_of(transformed, all);
    if (best >= firsts.size()) firsts.push_back(all[best]);
  }

  /// Puts one of the steps that make integers in front of DICT, if its keys and the exceptions then
  /// seem to have clearly fewer bits: values that arithmetic has left a last place off are one.
  void merge_keys(const Transformed<W>& transformed, std::vector<First>& firsts) const {
    const auto dict =
        std::ranges::find(firsts, Prelude{{step(preludes::Dict::wire)}}, &First::prelude);
    const double ranks = bits_behind(transformed, dict->prelude, sample_);
    First best = *dict;
    for (const First& first : firsts) {
      if (first.prelude.steps.empty()) continue;
      const PreludeStep& value = first.prelude.steps.front();
      if (!preludes::has_exceptions(synth::prelude_traits(value.kind).shape)) continue;
      const std::vector<W>& keys = transformed.merged_by(value).keys;
      const double share = double(keys.size()) / double(words_.size());
      const double bits = first.side_bits + bits_of_keys(keys, kWindow, sample_words()) * share;
      if (bits >= best.side_bits || ranks + bits >= kLeastGain * (ranks + dict->side_bits))
        continue;
      best = {{{value, step(preludes::Dict::wire)}},
              fmt::format("{}; {}", first.reason, counted(keys.size(), "distinct integer")),
              bits};
    }
    *dict = std::move(best);
  }

  /// The steps that may stand first: nothing, ORD, DICT, DEC, RAT, SIG.
  std::vector<First> firsts(const Transformed<W>& transformed) const {
    std::vector<First> firsts(1);
    // Differences of values of one sign are as without ORD.
    if (found_.sign_changes > 0) {
      firsts.push_back(
          {{{step(preludes::Ord::wire)}},
           fmt::format("{:.2g} % of neighbours have unlike signs", 100 * found_.sign_changes),
           0});
    }
    if (dictionary_) {
      const std::vector<W>& keys = dictionary_->keys;
      const double share = double(keys.size()) / double(words_.size());
      firsts.push_back({{{step(preludes::Dict::wire)}},
                        fmt::format("{} among {}", counted(keys.size(), "distinct value"),
                                    counted(words_.size(), "word")),
                        bits_of_keys(keys, kWindow, sample_words()) * share});
    }
    const double most = found_.decimals.empty() ? 0 : found_.decimals[best_digits_].share;
    std::set<unsigned> digits;
    for (const DecimalDigits& decimal : found_.decimals) {
      // The fewest digits that may do, and those with the fewest exceptions.
      if (decimal.share < kLeastDecimals || decimal.share < kFewerDigits * most) continue;
      if (!digits.empty() && decimal.digits != best_digits_) continue;
      digits.insert(decimal.digits);
      firsts.push_back(
          {{{step(preludes::Dec::wire, decimal.digits)}},
           fmt::format("{:.4g} % of the words are decimals of {}, integers of "
                       "{:.1f} bits",
                       100 * decimal.share, counted(decimal.digits, "digit"), decimal.bits),
           exception_bits<preludes::Dec>(words_, transformed, sample_,
                                         step(preludes::Dec::wire, decimal.digits))});
    }
    if (fractions_) firsts.push_back(*fractions_);
    add_significant(transformed, firsts);
    if (dictionary_ && options_.slow_steps) merge_keys(transformed, firsts);
    return firsts;
  }

  Words<W> words_;
  StructureOptions options_;
  std::vector<Window> sample_;
  Structure found_;
  std::optional<Dictionary<W>> dictionary_;
  std::vector<std::uint64_t> strides_;  ///< of the shape, ascending
  unsigned best_digits_ = 0;
  std::optional<First> fractions_;
};

constexpr std::size_t kMostWords = std::size_t{1} << 22;
/// The least share of the words that copies take out to be worth it.
constexpr double kLeastCopied = 1.0 / 32;
/// The share of the candidates that may begin with MATCH or REV.
constexpr std::size_t kOneIn = 4;

/// This file's instances of the codec's templates.
struct Level {};

/// Records of up to so many words may have copies in the opposite order.
constexpr std::uint64_t kLongestRecord = 4;

/// The words that are left without copies.
template <class W>
struct LeftWords {
  PreludeStep first;  ///< which takes them out
  std::vector<W> words;
  double share = 0;       ///< of the words
  double other_bits = 0;  ///< of the side data and of the other words, for each of the words
};

template <class Step, class W>
LeftWords<W> literals_of(const Words<W>& words, std::uint64_t parameter,
                         std::uint64_t sample_words) {
  LeftWords<W> left;
  left.first = step(Step::wire, parameter);
  const std::size_t count = std::min(words.size(), kMostWords);
  left.words.resize(count);
  words.copy(0, left.words);
  auto* const bytes = reinterpret_cast<std::byte*>(left.words.data());
  codec::SideMemory<W> side;
  using Taker = codec::CopyTaker<Level, W, Step>;
  if (Taker::run(bytes, bytes, count, parameter, side.data) != codec::Status::Ok) {
    throw std::bad_alloc();
  }
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

/// Candidates that begin with the step that leaves these words: alone, and in front of what suits
/// them. Best first.
template <class W>
std::vector<PreludeCandidate> candidates_behind(const LeftWords<W>& left,
                                                const StructureOptions& options,
                                                const Structure& found) {
  const Structure behind =
      Finder<W>(Words<W>(std::as_bytes(std::span(left.words))), found.type, options).find();
  const bool turned = left.first.kind == preludes::Rev::wire;
  const std::string reason =
      fmt::format("{:.2g} % of the words are copies of earlier ones{}", 100 * (1 - left.share),
                  turned ? ", in the opposite order" : "");
  std::vector<PreludeCandidate> candidates = {{{{left.first}}, reason, behind.bits, 0}};
  for (PreludeCandidate candidate : behind.candidates) {
    std::vector<synth::PreludeStep>& steps = candidate.prelude.steps;
    if (steps.size() == preludes::kMostSteps) continue;
    steps.insert(steps.begin(), left.first);
    candidate.reason = reason + "; " + candidate.reason;
    candidates.push_back(std::move(candidate));
  }
  for (PreludeCandidate& candidate : candidates) {
    candidate.bits = left.share * candidate.bits + left.other_bits;
    candidate.score = found.bits / candidate.bits;
  }
  rank(candidates, options.candidates);
  return candidates;
}

/// Candidates that begin with REV, with the length of records that seems best; none unless the best
/// of them clearly seems better than all that were found.
template <class W>
std::vector<PreludeCandidate> candidates_with_turned(const Words<W>& words,
                                                     const StructureOptions& options,
                                                     const Structure& found) {
  LeftWords<W> best;
  double least = kLeastGain * found.bits;
  for (std::uint64_t record = 1; record <= kLongestRecord; ++record) {
    LeftWords<W> left = literals_of<preludes::Rev>(words, record, options.sample_words);
    if (left.share > 1 - kLeastCopied) continue;
    const double bits =
        left.share * bits_of_side(left.words, kWindow, options.sample_words) + left.other_bits;
    if (bits >= least) continue;
    least = bits;
    best = std::move(left);
  }
  if (best.words.empty()) return {};
  std::vector<PreludeCandidate> candidates = candidates_behind(best, options, found);
  const double others = found.candidates.empty() ? found.bits : found.candidates.front().bits;
  if (candidates.front().bits >= kLeastGain * others) candidates.clear();
  return candidates;
}

/// Adds candidates that begin with REV to those of `found`, or with MATCH, if it takes out a 32nd
/// of the words or more. At most a fourth of all candidates begin so: estimates of what is left do
/// not know how well the copies would have been predicted. Of long inputs, only the first 2^22
/// words are looked at.
template <class W>
void add_copies(const Words<W>& words, const StructureOptions& options, Structure& found) {
  if (words.size() < 2) return;
  StructureOptions fewer = options;
  fewer.candidates = options.candidates / kOneIn;
  if (fewer.candidates == 0) return;
  std::vector<PreludeCandidate> candidates;
  if (options.slow_steps) candidates = candidates_with_turned(words, fewer, found);
  if (candidates.empty()) {
    const LeftWords<W> left = literals_of<preludes::Match>(words, 0, options.sample_words);
    if (left.share > 1 - kLeastCopied) return;
    candidates = candidates_behind(left, fewer, found);
  }
  found.candidates.insert(found.candidates.end(), candidates.begin(), candidates.end());
  rank(found.candidates, options.candidates);
}

}  // namespace

Structure find_structure(const data::Input& input, const StructureOptions& options) {
  StructureOptions known = options;
  if (known.shape.empty()) known.shape = input.shape();
  const auto found = [&]<class W>(const Words<W>& words) {
    Structure structure = Finder<W>(words, input.type(), known).find();
    add_copies(words, known, structure);
    return structure;
  };
  return words::with_word(synth::word_bytes(input.native()),
                          [&]<class W>() { return found(Words<W>(input.bytes())); });
}

}  // namespace fpsynth::search
