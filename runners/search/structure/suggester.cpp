#include "runners/search/structure/suggester.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "components/preludes/registry.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

using synth::Prelude;
using synth::PreludeStep;

/// A block's divisor, of which many are alike.
constexpr double kDivisorBits = 16;
/// The coefficients of a block for predictions.
constexpr double kPredictionBits = 320;
/// Shorter blocks are hardly better, and coefficients take time.
constexpr std::uint64_t kLeastPredicted = 2048;
/// The best candidates behind which divisors or predictions are looked for.
constexpr std::size_t kMostDivided = 4;
/// Estimates are rough: a step that seems to lose may win with the right pipeline, but not by much.
constexpr double kMostLoss = 1.04;
/// Sets of lags that grow, for so many wanted candidates one, and at least so many.
constexpr std::size_t kSetsOneIn = 6, kLeastSets = 6;
/// Candidates with columns: for so many wanted ones one, and at least so many.
constexpr std::size_t kColumnsOneIn = 16, kLeastColumns = 3;

std::string reason_of(const LagFinding& lag) {
  std::string reason = fmt::format("{} before, ", counted(lag.lag, "word"));
  if (lag.behind > 0) {
    reason += fmt::format("differences at {} are alike", counted(lag.behind, "word"));
  } else if (lag.equal_share > 0.5) {
    reason += fmt::format("{:.4g} % of the words are the same", 100 * lag.equal_share);
  } else {
    reason += fmt::format("differences are {:.1f} bits {} than between neighbours",
                          std::abs(lag.bits_less), lag.bits_less < 0 ? "longer" : "shorter");
  }
  if (lag.from_shape) reason += ", a stride of the shape";
  return reason;
}

/// The step that makes rows columns; null if there is none.
const PreludeStep* columns_of(const Prelude& prelude) {
  const auto columns = std::ranges::find(prelude.steps, preludes::Dim::wire, &PreludeStep::kind);
  return columns == prelude.steps.end() ? nullptr : &*columns;
}

/// The prelude with columns of the length 0, which is the same for those that differ in nothing
/// else.
Prelude without_columns(Prelude prelude) {
  for (PreludeStep& step : prelude.steps) {
    if (step.kind == preludes::Dim::wire) step.parameter = 0;
  }
  return prelude;
}

}  // namespace

void rank(std::vector<PreludeCandidate>& candidates, std::size_t most) {
  std::ranges::stable_sort(candidates, {}, [](const PreludeCandidate& candidate) {
    return std::pair(candidate.bits, candidate.prelude.steps.size());
  });
  if (candidates.size() > most) candidates.resize(most);
}

template <class W>
std::vector<Window> windows_after(const Words<W>& words, std::size_t head,
                                  std::uint64_t sample_words) {
  return windows_of(head, words.size(), std::min(kWindow, words.size() - head),
                    std::max<std::size_t>(sample_words, kWindow));
}

template <class W>
double bits_behind(const Transformed<W>& transformed, const Prelude& prelude,
                   std::span<const Window> windows) {
  Estimate<W> estimate;
  std::vector<W> words;
  for (const Window& window : windows) {
    transformed.read(prelude, window, words);
    estimate.add(words);
  }
  return estimate.bits();
}

template <class W>
void Suggester<W>::suggest(const std::vector<First>& firsts, std::span<const Window> sample,
                           const std::vector<std::uint64_t>& strides) {
  grid_ = !strides.empty();
  std::vector<Base> bases;
  for (const First& first : firsts) {
    const double bits = bits_behind(transformed_, first.prelude, sample);
    bases.push_back({first, bits, bits + first.side_bits});
  }
  for (const Base& base : bases) {
    consider(base, {}, "");
    try_lags(base);
    try_grid(base, strides);
  }
  grow();
  rank(found_.candidates);
  divide();
  rank(found_.candidates);
  thin_columns();
  rank(found_.candidates, options_.candidates);
  drop_lags();
}

/// The bits of a first step, which costs `first_bits` alone, and lags. Words with nothing so far
/// before them are as without the lags; a sample might have none of them, or too many.
template <class W>
double Suggester<W>::bits_of(const Prelude& prelude, double first_bits) const {
  std::uint64_t head = 0;
  for (const PreludeStep& step : prelude.steps) {
    const bool lagged = synth::prelude_traits(step.kind).shape == preludes::Shape::Lagged;
    if (lagged) head += step.parameter;
  }
  if (head >= words_.size()) return first_bits;
  const std::vector<Window> windows = windows_after(words_, head, options_.sample_words);
  const double share = double(head) / double(words_.size());
  return share * first_bits + (1 - share) * bits_behind(transformed_, prelude, windows);
}

/// Returns the bits; the candidate is one only if they are fewer than `most`.
template <class W>
double Suggester<W>::consider(const Base& base, const std::vector<PreludeStep>& steps,
                              const std::string& reason, double most) {
  PreludeCandidate candidate{base.first.prelude, base.first.reason, 0, 0};
  candidate.prelude.steps.insert(candidate.prelude.steps.end(), steps.begin(), steps.end());
  if (candidate.prelude.empty()) return found_.bits;
  if (candidate.prelude.steps.size() > preludes::kMostSteps) return kAny;
  const auto [known, fresh] = tried_.emplace(candidate.prelude, 0);
  if (!fresh) return known->second;
  if (!reason.empty()) {
    if (!candidate.reason.empty()) candidate.reason += "; ";
    candidate.reason += reason;
  }
  const double bits = bits_of(candidate.prelude, base.bits) + base.first.side_bits;
  known->second = candidate.bits = bits;
  candidate.score = found_.bits / bits;
  const double least = std::min(found_.bits, steps.empty() ? found_.bits : base.alone);
  if (bits <= kMostLoss * least && bits < most) found_.candidates.push_back(candidate);
  return bits;
}

template <class W>
double Suggester<W>::differences(const Base& base, const std::vector<std::uint64_t>& lags,
                                 double most) {
  std::vector<PreludeStep> steps;
  for (const std::uint64_t lag : lags) steps.push_back(step(preludes::LagSub::wire, lag));
  const std::string_view what =
      lags.front() == 1 && lags.back() > 1 && grid_ ? "the Lorenzo predictor of a grid: " : "";
  return consider(base, steps,
                  fmt::format("{}differences at {} words", what, fmt::join(lags, ", then ")), most);
}

/// Each lag alone, and rows of its length as columns.
template <class W>
void Suggester<W>::try_lags(const Base& base) {
  const double neighbours =
      consider(base, {step(preludes::LagSub::wire, 1)},
               "differences between neighbours, for which pipelines then need no stage");
  singles_.push_back({&base, {1}, neighbours});
  for (const LagFinding& lag : found_.lags) {
    const std::string reason = reason_of(lag);
    const double bits = consider(base, {step(preludes::LagSub::wire, lag.lag)}, reason);
    if (lag.lag > 1) singles_.push_back({&base, {lag.lag}, bits});
    // Chunks of one column each, if columns differ in what they hold.
    const std::string columns = fmt::format("rows of {} words as columns", lag.lag);
    for (const bool differences : {false, true}) {
      std::vector<PreludeStep> steps = {step(preludes::Dim::wire, lag.lag)};
      if (differences) steps.push_back(step(preludes::LagSub::wire, 1));
      if (lag.lag > 1) consider(base, steps, columns, kLeastGain * bits);
    }
    if (base.first.prelude.empty()) {
      consider(base, {step(preludes::LagXor::wire, lag.lag)}, reason);
    }
  }
}

/// Predictors of a grid whose strides are known.
template <class W>
void Suggester<W>::try_grid(const Base& base, const std::vector<std::uint64_t>& strides) {
  for (std::size_t i = 0; i < strides.size(); ++i) {
    differences(base, {1, strides[i]});
    for (std::size_t j = i + 1; j < strides.size(); ++j) {
      differences(base, {strides[i], strides[j]});
      differences(base, {1, strides[i], strides[j]});
    }
  }
}

/// Sets of lags, from the best single ones: one more lag, or the same once more, is added to the
/// sets that are best so far, as long as that gains. So the predictors of grids and of values that
/// change evenly, from word to word or from period to period, are found without trying all sets.
template <class W>
void Suggester<W>::grow() {
  const std::size_t most = std::max(kLeastSets, options_.candidates / kSetsOneIn);
  std::vector<LagSet> sets = singles_;
  std::vector<std::uint64_t> lags = {1};
  for (const LagFinding& lag : found_.lags) {
    if (lag.lag > 1) lags.push_back(lag.lag);
  }
  while (!sets.empty()) {
    std::ranges::stable_sort(sets, {}, &LagSet::bits);
    if (sets.size() > most) sets.resize(most);
    std::vector<LagSet> grown;
    for (const LagSet& set : sets) {
      for (const std::uint64_t lag : lags) {
        LagSet larger = set;
        larger.lags.insert(std::ranges::upper_bound(larger.lags, lag), lag);
        const auto same = [&](const LagSet& other) {
          return other.base == larger.base && other.lags == larger.lags;
        };
        if (std::ranges::any_of(grown, same)) continue;
        const double least = kLeastGain * set.bits;
        larger.bits = differences(*set.base, larger.lags, least);
        if (larger.bits < least) grown.push_back(std::move(larger));
      }
    }
    sets = std::move(grown);
  }
}

/// The best candidates with GCD or LPC behind them, where that gains.
template <class W>
void Suggester<W>::divide() {
  append<preludes::Gcd>(preludes::Gcd::range<W>.least, kDivisorBits,
                        "words of a block have a common divisor");
  rank(found_.candidates);
  if (!options_.slow_steps) return;
  const auto others = std::ptrdiff_t(found_.candidates.size());
  append<preludes::Lpc>(kLeastPredicted, kPredictionBits, "words follow from several before them");
  // Estimates flatter them: where few candidates are tried, most are others.
  const auto most = std::max<std::ptrdiff_t>(1, std::ptrdiff_t(options_.candidates / 8));
  const auto first = found_.candidates.begin() + others, end = found_.candidates.end();
  std::ranges::sort(first, end, {}, &PreludeCandidate::bits);
  found_.candidates.erase(first + std::min(most, end - first), end);
}

/// The best candidates with a step behind them, in blocks of `least_block` words and more, each of
/// which takes `side_bits`, where that gains.
template <class W>
template <class Step>
void Suggester<W>::append(std::uint64_t least_block, double side_bits, const std::string& reason) {
  const std::size_t count = std::min(kMostDivided, found_.candidates.size());
  for (std::size_t i = 0; i < count; ++i) {
    PreludeCandidate candidate = found_.candidates[i];
    if (candidate.prelude.steps.size() == preludes::kMostSteps) continue;
    // Without the step, but for side data.
    const double other = candidate.bits - bits_of(candidate.prelude, found_.bits);
    candidate.reason += "; " + reason;
    candidate.prelude.steps.push_back(step(Step::wire));
    double least = kLeastGain * candidate.bits;
    for (std::uint64_t block = least_block; Step::template range<W>.has(block); block *= 2) {
      candidate.prelude.steps.back().parameter = block;
      candidate.bits = bits_of(candidate.prelude, found_.bits) + other + side_bits / double(block);
      if (candidate.bits >= least) continue;
      least = candidate.bits;
      candidate.score = found_.bits / candidate.bits;
      found_.candidates.push_back(candidate);
    }
  }
}

/// Leaves few candidates with columns, of which there is one for every lag and first step: the
/// best, and none with rows that are several of another's and gain little by it.
template <class W>
void Suggester<W>::thin_columns() {
  const std::vector<PreludeCandidate> all = found_.candidates;
  const std::size_t most = std::max(kLeastColumns, options_.candidates / kColumnsOneIn);
  std::size_t count = 0;
  std::erase_if(found_.candidates, [&](const PreludeCandidate& candidate) {
    const PreludeStep* const columns = columns_of(candidate.prelude);
    if (columns == nullptr) return false;
    const bool several = std::ranges::any_of(all, [&](const PreludeCandidate& other) {
      const PreludeStep* const shorter = columns_of(other.prelude);
      return shorter != nullptr && shorter->parameter < columns->parameter &&
             columns->parameter % shorter->parameter == 0 &&
             candidate.bits > kLeastGain * other.bits &&
             without_columns(candidate.prelude) == without_columns(other.prelude);
    });
    return several || ++count > most;
  });
}

template <class W>
void Suggester<W>::drop_lags() {
  std::erase_if(found_.lags, [&](const LagFinding& lag) {
    const auto uses = [&](const PreludeCandidate& candidate) {
      return std::ranges::find(candidate.prelude.steps, lag.lag, &PreludeStep::parameter) !=
             candidate.prelude.steps.end();
    };
    return !lag.from_shape && lag.repeat_share == 0 &&
           std::ranges::none_of(found_.candidates, uses);
  });
}

#define FPSYNTH_INSTANCES(W)                                                                   \
  template std::vector<Window> windows_after(const Words<W>&, std::size_t, std::uint64_t);     \
  template double bits_behind(const Transformed<W>&, const Prelude&, std::span<const Window>); \
  template class Suggester<W>;
FPSYNTH_INSTANCES(std::uint8_t)
FPSYNTH_INSTANCES(std::uint16_t)
FPSYNTH_INSTANCES(std::uint32_t)
FPSYNTH_INSTANCES(std::uint64_t)
#undef FPSYNTH_INSTANCES

}  // namespace fpsynth::search
