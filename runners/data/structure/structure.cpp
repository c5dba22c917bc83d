#include "runners/data/structure/structure.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "components/preludes/registry.hpp"
#include "runners/data/structure/copies.hpp"
#include "runners/data/structure/divisors.hpp"
#include "runners/data/structure/lags.hpp"
#include "runners/data/structure/side_bits.hpp"
#include "runners/data/structure/transformed.hpp"
#include "runners/data/structure/words.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

using synth::Prelude;
using synth::PreludeStep;

constexpr std::size_t kWindow = 512;  ///< words of the sample that follow one another
/// A dictionary has at most so many words, and a fourth of the input's.
constexpr std::size_t kMostDistinct = std::size_t{1} << 20;
/// DICTM is tried if there are at most so many magnitudes for each distinct word.
constexpr double kMostMagnitudes = 0.9;
constexpr std::size_t kMostRepeated = 2;  ///< lags whose second and third differences are tried
/// DEC is tried if so many of the sampled words are decimals: the others may all be one fill value.
constexpr double kLeastDecimals = 0.3;
/// Fewer digits may do if so large a share of the decimals has no more.
constexpr double kFewerDigits = 0.95;
/// A block's selector takes a byte, and mostly less behind its pipeline.
constexpr double kSelectorBits = 4;
/// A block's divisor, of which many are alike.
constexpr double kDivisorBits = 16;
/// The best candidates behind which divisors are looked for.
constexpr std::size_t kMostDivided = 4;
/// Estimates are rough: a step that seems to lose may win with the right pipeline, but not by much.
constexpr double kMostLoss = 1.04;
/// The same difference once more must gain: there are many such preludes.
constexpr double kRepeatedGain = 0.99;

PreludeStep step(std::uint8_t kind, std::uint64_t parameter = 0) { return {kind, parameter, {}}; }

/// A first step, or none, with its side data in bits per word of the input.
struct First {
  Prelude prelude;
  std::string reason;
  double side_bits = 0;
};

template <class W>
class Finder {
 public:
  Finder(const Words<W>& words, ValueType type, const StructureOptions& options)
      : words_(words), options_(options), sample_(windows_after(0)) {
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
      find_decimals();
      count_signs();
    }
    strides_ = strides_of(options_.shape, words_.size());
    found_.lags = find_lags(words_, strides_);
    Transformed<W> transformed(words_, dictionary_ ? &*dictionary_ : nullptr);
    found_.bits = bits_of(transformed, {}, sample_);
    if (found_.type.is_float()) find_fractions(transformed);
    make_candidates(transformed);
    return std::move(found_);
  }

 private:
  void count_distinct() {
    DistinctWords<W> distinct;
    const std::size_t most = std::min(kMostDistinct, words_.size() / 4);
    W before = W(~words_[0]);
    std::size_t i = 0;
    for (; i < words_.size() && distinct.size() <= most; ++i) {
      const W word = words_[i];
      if (word == before) continue;
      distinct.insert(word);
      before = word;
    }
    found_.distinct = {distinct.size(), i, i == words_.size()};
    if (found_.distinct.all) dictionary_.emplace(std::move(distinct));
  }

  void find_decimals() {
    const auto most = static_cast<unsigned>(preludes::Dec::range<W>.most);
    std::size_t count = 0;
    for (const Window& window : sample_) count += window.words;
    for (unsigned digits = 0; digits <= most; ++digits) {
      const double scale = preludes::Dec::scale(digits);
      std::size_t exact = 0, bits = 0;
      for (const Window& window : sample_) {
        for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
          W integer;
          if (!preludes::Dec::forward(words_[i], scale, integer)) continue;
          ++exact;
          bits += significant_bits(integer);
        }
      }
      const double integers = exact > 0 ? double(bits) / double(exact) : 0;
      found_.decimals.push_back({digits, double(exact) / double(count), integers});
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
    double least = std::numeric_limits<double>::infinity();
    constexpr preludes::ParameterRange range = preludes::Rat::range<W>;
    for (rat.parameter = range.least; range.has(rat.parameter); rat.parameter *= 2) {
      const double side = exception_bits<preludes::Rat>(words_, sample_, rat) +
                          kSelectorBits / double(rat.parameter);
      const double bits = bits_of(transformed, {{rat}}, sample_) + side;
      if (bits >= least) continue;
      least = bits;
      fractions_ = First{{{rat}}, "values are fractions with few denominators", side};
    }
  }

  double bits_of(const Transformed<W>& transformed, const Prelude& prelude,
                 std::span<const Window> windows) const {
    Estimate<W> estimate;
    std::vector<W> window_words;
    for (const Window& window : windows) {
      transformed.read(prelude, window, window_words);
      estimate.add(window_words);
    }
    return estimate.bits();
  }

  /// The bits of a first step, which costs `first_bits` alone, and lags. Words with nothing so far
  /// before them are as without the lags; a sample might have none of them, or too many.
  double bits_of(const Transformed<W>& transformed, const Prelude& prelude,
                 double first_bits) const {
    std::uint64_t head = 0;
    for (const PreludeStep& step : prelude.steps) {
      const bool lagged = synth::prelude_traits(step.kind).shape == preludes::Shape::Lagged;
      if (lagged) head += step.parameter;
    }
    if (head >= words_.size()) return first_bits;
    const std::vector<Window> windows = windows_after(head);
    const double share = double(head) / double(words_.size());
    return share * first_bits + (1 - share) * bits_of(transformed, prelude, windows);
  }

  std::vector<Window> windows_after(std::size_t head) const {
    return windows_of(head, words_.size(), std::min(kWindow, words_.size() - head), sample_words());
  }
  std::size_t sample_words() const { return std::max<std::size_t>(options_.sample_words, kWindow); }

  /// A step by rank, whose keys are distinct things of a kind.
  First ranks(std::uint8_t kind, const std::vector<W>& keys, std::string_view thing) const {
    const double share = double(keys.size()) / double(words_.size());
    return {{{step(kind)}},
            fmt::format("{} among {}", counted(keys.size(), thing), counted(words_.size(), "word")),
            bits_of_keys(keys, kWindow, sample_words()) * share};
  }

  /// The steps that may stand first: nothing, ORD, DICT, DICTM, DEC, RAT.
  std::vector<First> firsts() const {
    std::vector<First> firsts(1);
    // Differences of values of one sign are as without ORD.
    if (found_.sign_changes > 0) {
      firsts.push_back(
          {{{step(preludes::Ord::wire)}},
           fmt::format("{:.2g} % of neighbours have unlike signs", 100 * found_.sign_changes),
           0});
    }
    if (dictionary_) {
      const std::vector<W>& values = dictionary_->dict.keys;
      const std::vector<W>& magnitudes = dictionary_->dictm.keys;
      firsts.push_back(ranks(preludes::Dict::wire, values, "distinct value"));
      if (double(magnitudes.size()) <= kMostMagnitudes * double(values.size())) {
        firsts.push_back(ranks(preludes::Dictm::wire, magnitudes, "distinct magnitude"));
      }
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
           exception_bits<preludes::Dec>(words_, sample_,
                                         step(preludes::Dec::wire, decimal.digits))});
    }
    if (fractions_) firsts.push_back(*fractions_);
    return firsts;
  }

  std::string reason_of(const LagFinding& lag) const {
    std::string reason = fmt::format("{} before, ", counted(lag.lag, "word"));
    if (lag.equal_share > 0.5) {
      reason += fmt::format("{:.4g} % of the words are the same", 100 * lag.equal_share);
    } else {
      reason += fmt::format("differences are {:.1f} bits {} than between neighbours",
                            std::abs(lag.bits_less), lag.bits_less < 0 ? "longer" : "shorter");
    }
    if (lag.from_shape) reason += ", a stride of the shape";
    return reason;
  }

  void make_candidates(const Transformed<W>& transformed) {
    std::map<Prelude, double> tried;
    double first_bits = 0, alone = 0;  // of the first step, without and with its side data
    // Returns the bits; the candidate is one only if they are fewer than `most`.
    const auto consider = [&](const First& first, std::vector<PreludeStep> lags,
                              const std::string& reason,
                              double most = std::numeric_limits<double>::infinity()) {
      PreludeCandidate candidate{first.prelude, first.reason, 0, 0};
      for (const PreludeStep& lag : lags) candidate.prelude.steps.push_back(lag);
      if (candidate.prelude.empty()) return found_.bits;
      if (candidate.prelude.steps.size() > preludes::kMostSteps) return most;
      const auto [known, fresh] = tried.emplace(candidate.prelude, 0);
      if (!fresh) return known->second;
      if (!reason.empty()) {
        if (!candidate.reason.empty()) candidate.reason += "; ";
        candidate.reason += reason;
      }
      const double bits = bits_of(transformed, candidate.prelude, first_bits) + first.side_bits;
      known->second = candidate.bits = bits;
      candidate.score = found_.bits / bits;
      const double least = std::min(found_.bits, lags.empty() ? found_.bits : alone);
      if (bits <= kMostLoss * least && bits < most) found_.candidates.push_back(candidate);
      return bits;
    };
    for (const First& first : firsts()) {
      first_bits = bits_of(transformed, first.prelude, sample_);
      alone = first_bits + first.side_bits;
      consider(first, {}, "");
      consider(first, {step(preludes::LagSub::wire, 1)},
               "differences between neighbours, for which pipelines then need no stage");
      for (const LagFinding& lag : found_.lags) {
        const std::string reason = reason_of(lag);
        const double bits = consider(first, {step(preludes::LagSub::wire, lag.lag)}, reason);
        // Chunks of one column each, if columns differ in what they hold.
        const std::string columns = fmt::format("rows of {} words as columns", lag.lag);
        for (const bool differences : {false, true}) {
          std::vector<PreludeStep> steps = {step(preludes::Dim::wire, lag.lag)};
          if (differences) steps.push_back(step(preludes::LagSub::wire, 1));
          if (lag.lag > 1) consider(first, steps, columns, kRepeatedGain * bits);
        }
        if (first.prelude.empty()) {
          consider(first, {step(preludes::LagXor::wire, lag.lag)}, reason);
        }
      }
      // Predictors of grids, from the strides that are known or the most promising lags.
      std::vector<std::uint64_t> rows = strides_;
      if (rows.empty()) {
        for (const LagFinding& lag : found_.lags) {
          if (rows.size() < 2) rows.push_back(lag.lag);
        }
        std::ranges::sort(rows);
      }
      const auto differences = [&](const std::vector<std::uint64_t>& lags,
                                   double most = std::numeric_limits<double>::infinity()) {
        std::vector<PreludeStep> steps;
        for (const std::uint64_t lag : lags) steps.push_back(step(preludes::LagSub::wire, lag));
        const std::string_view what = lags.front() == 1 && lags.back() > 1 && !strides_.empty()
                                          ? "the Lorenzo predictor of a grid: "
                                          : "";
        return consider(first, steps,
                        fmt::format("{}differences at {} words", what, fmt::join(lags, ", then ")),
                        most);
      };
      // Values that change evenly from word to word or from period to period, such as the
      // coefficients of an orbit.
      const auto repeat = [&](std::uint64_t lag) {
        double most = kRepeatedGain * differences({lag});
        for (std::size_t times = 2; times <= preludes::kMostSteps; ++times) {
          const double bits = differences(std::vector<std::uint64_t>(times, lag), most);
          if (bits >= most) break;
          most = kRepeatedGain * bits;
        }
      };
      repeat(1);
      for (std::size_t i = 0; i < std::min(kMostRepeated, found_.lags.size()); ++i) {
        repeat(found_.lags[i].lag);
      }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        differences({1, rows[i]});
        for (std::size_t j = i + 1; j < rows.size(); ++j) {
          differences({rows[i], rows[j]});
          differences({1, rows[i], rows[j]});
        }
      }
    }
    sort_candidates();
    divide_candidates(transformed);
    rank_candidates();
  }

  void sort_candidates() {
    std::ranges::stable_sort(found_.candidates, {}, [](const PreludeCandidate& candidate) {
      return std::pair(candidate.bits, candidate.prelude.steps.size());
    });
  }
  /// The best candidates with GCD behind them, where that gains.
  void divide_candidates(const Transformed<W>& transformed) {
    const std::size_t count = std::min(kMostDivided, found_.candidates.size());
    for (std::size_t i = 0; i < count; ++i) {
      PreludeCandidate divided = found_.candidates[i];
      if (divided.prelude.steps.size() == preludes::kMostSteps) continue;
      const double undivided = bits_of(transformed, divided.prelude, found_.bits);
      const double other = divided.bits - undivided;  // of side data
      divided.reason += "; words of a block have a common divisor";
      divided.prelude.steps.push_back(step(preludes::Gcd::wire));
      double least = kRepeatedGain * divided.bits;
      constexpr preludes::ParameterRange range = preludes::Gcd::range<W>;
      for (std::uint64_t block = range.least; range.has(block); block *= 2) {
        divided.prelude.steps.back().parameter = block;
        divided.bits = bits_of(transformed, divided.prelude, found_.bits) + other +
                       kDivisorBits / double(block);
        if (divided.bits >= least) continue;
        least = divided.bits;
        divided.score = found_.bits / divided.bits;
        found_.candidates.push_back(divided);
      }
    }
  }

  /// Leaves the best, in order, and the lags of which there is something to say.
  void rank_candidates() {
    sort_candidates();
    if (found_.candidates.size() > options_.candidates) {
      found_.candidates.resize(options_.candidates);
    }
    std::erase_if(found_.lags, [&](const LagFinding& lag) {
      const auto uses = [&](const PreludeCandidate& candidate) {
        return std::ranges::find(candidate.prelude.steps, lag.lag, &PreludeStep::parameter) !=
               candidate.prelude.steps.end();
      };
      return !lag.from_shape && lag.repeat_share == 0 &&
             std::ranges::none_of(found_.candidates, uses);
    });
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

}  // namespace

template <class W>
Structure find_unmatched(const Words<W>& words, ValueType type, const StructureOptions& options) {
  return Finder<W>(words, type, options).find();
}

template Structure find_unmatched(const Words<std::uint64_t>&, ValueType, const StructureOptions&);
template Structure find_unmatched(const Words<std::uint32_t>&, ValueType, const StructureOptions&);

Structure find_structure(const Input& input, const StructureOptions& options) {
  StructureOptions known = options;
  if (known.shape.empty()) known.shape = input.shape();
  const auto found = [&]<class W>(const Words<W>& words) {
    Structure structure = find_unmatched(words, input.type(), known);
    add_matches(words, known, structure);
    return structure;
  };
  return input.native() == Precision::Double ? found(Words<std::uint64_t>(input.bytes()))
                                             : found(Words<std::uint32_t>(input.bytes()));
}

}  // namespace fpsynth::data
