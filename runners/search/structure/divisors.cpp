#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "components/preludes/rat.hpp"
#include "components/preludes/scaled.hpp"
#include "runners/search/structure/suggester.hpp"

namespace fpsynth::search {
namespace {

constexpr std::size_t kBlocks = 96, kBlockWords = 128;
/// Different values of a block that are tried; with fewer than the least, chance would find
/// divisors.
constexpr std::size_t kMostValues = 48, kFewestValues = 8;
/// The smallest gaps between a block's values, of which each two may give a divisor.
constexpr std::size_t kGaps = 8;
/// Bits that a value costs which is no such fraction, beyond those that it has anyway.
constexpr double kMissBits = 24;
/// A block's divisor saves so many bits a value.
constexpr double kLeastSaved = 1;
/// A further divisor saves so large a share of what all of them would save.
constexpr double kLeastShare = 0.005;

/// Some of a block's values, each once, and how fine they are.
template <class W>
class Sample {
 public:
  explicit Sample(std::vector<W> words) {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<W> values;
    for (const W word : words) {
      if (!std::isfinite(number(word)) || number(word) == 0) continue;
      values.push_back(word);
      numbers_.push_back(number(word));
    }
    std::ranges::sort(numbers_);
    const std::size_t count = std::min(values.size(), kMostValues);
    for (std::size_t i = 0; i < count; ++i) {
      const W word = values[i * values.size() / count];
      words_.push_back(word);
      // The bits that an integer with the same spacing as the word's neighbours would have less
      // than one with the spacing 1.
      fine_.push_back(kDigits - 1 - std::floor(std::log2(std::abs(number(word)))));
    }
  }
  bool enough() const { return words_.size() >= kFewestValues; }

  /// Divisors for what two gaps between values are multiples of, at most an error; the smallest
  /// gaps are multiples by the smallest numbers, which make the least of the error.
  std::set<std::uint64_t> divisors() const {
    const double error = std::ldexp(std::max(-numbers_.front(), numbers_.back()), 2 - kDigits);
    std::vector<double> gaps;
    for (std::size_t i = 1; i < numbers_.size(); ++i) {
      const double gap = numbers_[i] - numbers_[i - 1];
      if (gap > kFewestErrors * error) gaps.push_back(gap);
    }
    std::ranges::sort(gaps);
    gaps.resize(std::min(gaps.size(), kGaps));
    std::set<std::uint64_t> divisors;
    for (const double larger : gaps) {
      for (const double gap : gaps) {
        if (gap > larger) break;
        const double unit = common_unit(larger, gap, error);
        if (unit > kFewestErrors * error) add_divisor(unit, divisors);
      }
    }
    return divisors;
  }

  /// The bits that a divisor saves a value; less than 0 if it is none of them.
  double saved(double divisor) const {
    double fine = 0;
    std::size_t misses = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      using Scaled = preludes::Scaled<W>;
      const auto bits = unsigned(Scaled(words_[i], divisor).rest_bits());
      if (bits <= Scaled::kNearBits) {
        fine += fine_[i] - bits;
      } else if (8 * ++misses > words_.size()) {
        return -1;
      }
    }
    const double hits = double(words_.size() - misses);
    return (fine - hits * std::log2(divisor) - double(misses) * kMissBits) / double(words_.size());
  }

 private:
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  static constexpr int kDigits = std::numeric_limits<Float>::digits;
  static constexpr double kFewestErrors = 8;
  static double number(W word) { return double(std::bit_cast<Float>(word)); }

  /// The number of which both are multiples, but for an error that grows with every remainder.
  static double common_unit(double larger, double unit, double error) {
    double before = error;
    for (int left = 64; left > 0; --left) {
      const double times = std::rint(larger / unit);
      const double rest = std::abs(larger - times * unit);
      const double grown = before + times * error;
      if (rest <= 2 * grown) return unit;
      before = std::exchange(error, grown);
      larger = std::exchange(unit, rest);
    }
    return 0;
  }
  /// Makes a unit precise, first by differences of values that are ever further apart, then by all
  /// of the values, and adds the divisor, and those next to it, which rounding may favour.
  void add_divisor(double unit, std::set<std::uint64_t>& divisors) const {
    double multiples = 0, values = 0, most = 0;
    for (const double value : numbers_) {
      const double difference = value - numbers_.front(), times = std::rint(difference / unit);
      if (times < 1.5 * most || times == 0) continue;
      unit = difference / times;
      most = times;
    }
    for (const double value : numbers_) {
      multiples += std::rint(std::abs(value) / unit);
      values += std::abs(value);
    }
    const double divisor = multiples / values, whole = std::rint(divisor);
    if (!(divisor > 1e-300 && divisor < 1e300)) return;
    if (whole >= 1 && whole <= double(preludes::Divisors::kWhole) &&
        std::abs(divisor - whole) <= std::ldexp(divisor, 6 - kDigits)) {
      divisors.insert(std::uint64_t(whole));
      return;
    }
    const auto bits = std::bit_cast<std::uint64_t>(divisor);
    for (std::uint64_t near = bits - 1; near <= bits + 1; ++near) divisors.insert(near);
  }

  std::vector<W> words_;
  std::vector<double> fine_, numbers_;
};

/// The divisor that saves a block most, also among the powers of ten; 0 if none saves enough.
template <class W>
std::uint64_t best_divisor(const Sample<W>& sample) {
  std::set<std::uint64_t> divisors = sample.divisors();
  for (std::uint64_t ten = 1; ten <= preludes::Divisors::kWhole; ten *= 10) divisors.insert(ten);
  std::uint64_t best = 0;
  double most = kLeastSaved;
  for (const std::uint64_t divisor : divisors) {
    const double saved = sample.saved(preludes::Rat::number(divisor));
    if (saved <= most) continue;
    most = saved;
    best = divisor;
  }
  return best;
}

}  // namespace

template <class W>
preludes::Divisors find_divisors(const Words<W>& words) {
  std::vector<Sample<W>> samples;
  std::set<std::uint64_t> found;
  for (const Window& window :
       windows_of(0, words.size(), std::min(kBlockWords, words.size()), kBlocks * kBlockWords)) {
    std::vector<W> block(window.words);
    words.copy(window.begin, block);
    samples.emplace_back(std::move(block));
    if (!samples.back().enough()) {
      samples.pop_back();
    } else if (const std::uint64_t divisor = best_divisor(samples.back()); divisor > 0) {
      found.insert(divisor);
    }
  }
  // The best one for all blocks first, then the one that saves most beside it, and so on.
  std::vector<double> saved(samples.size(), 0);
  std::set<std::uint64_t> chosen;
  double total = 0;
  while (chosen.size() < preludes::kMostDivisors) {
    std::uint64_t best = 0;
    double most = std::max(kLeastShare * total, kLeastSaved);
    for (const std::uint64_t divisor : found) {
      double more = 0;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        more += std::max(samples[i].saved(preludes::Rat::number(divisor)) - saved[i], 0.0);
      }
      if (more <= most) continue;
      most = more;
      best = divisor;
    }
    if (best == 0) break;
    chosen.insert(best);
    total += most;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      saved[i] = std::max(saved[i], samples[i].saved(preludes::Rat::number(best)));
    }
  }
  preludes::Divisors divisors;
  for (const std::uint64_t divisor : chosen) divisors.add(divisor);
  return divisors;
}

template preludes::Divisors find_divisors(const Words<std::uint32_t>& words);
template preludes::Divisors find_divisors(const Words<std::uint64_t>& words);

}  // namespace fpsynth::search
