#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "components/preludes/scaled.hpp"
#include "runners/search/structure/suggester.hpp"

namespace fpsynth::search {
namespace {

constexpr std::size_t kBlocks = 96, kBlockWords = 128;
/// Different values of a block that are tried; with fewer than the least, chance would find
/// divisors.
constexpr std::size_t kMostValues = 48, kFewestValues = 8;
constexpr std::uint64_t kMostDivisor = 65536;
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
      if (std::isfinite(number(word)) && number(word) != 0) values.push_back(word);
    }
    const std::size_t count = std::min(values.size(), kMostValues);
    for (std::size_t i = 0; i < count; ++i) {
      const W word = values[i * values.size() / count];
      words_.push_back(word);
      // The bits that an integer with the same spacing as the word's neighbours would have less
      // than one with the spacing 1.
      fine_.push_back(kDigits - 1 - std::floor(std::log2(std::abs(number(word)))));
    }
    // Values next to each other in order are alike; the first ones that are tried should not be.
    shuffle(words_);
    shuffle(fine_);
    fineness_ = std::accumulate(fine_.begin(), fine_.end(), 0.0) / double(count);
  }
  bool enough() const { return words_.size() >= kFewestValues; }
  std::size_t size() const { return words_.size(); }

  /// No divisor that is not less saves more bits a value.
  double most_saved(double divisor) const { return fineness_ - std::log2(divisor); }
  /// The bits that a divisor saves a value; less than 0 if it is none of them.
  double saved(double divisor) const {
    double fine = 0;
    std::size_t misses = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (preludes::Scaled<W>(words_[i], divisor).exact) {
        fine += fine_[i];
      } else if (8 * ++misses > words_.size()) {
        return -1;
      }
    }
    const double hits = double(words_.size() - misses);
    return (fine - hits * std::log2(divisor) - double(misses) * kMissBits) / double(words_.size());
  }

 private:
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  static constexpr double kDigits = std::numeric_limits<Float>::digits;
  static double number(W word) { return double(std::bit_cast<Float>(word)); }
  template <class T>
  static void shuffle(std::vector<T>& items) {
    std::vector<T> shuffled;
    constexpr std::size_t kStride = 7;
    for (std::size_t first = 0; first < kStride; ++first) {
      for (std::size_t i = first; i < items.size(); i += kStride) shuffled.push_back(items[i]);
    }
    items = std::move(shuffled);
  }

  std::vector<W> words_;
  std::vector<double> fine_;
  double fineness_ = 0;
};

/// The divisor that saves a block most; 0 if none saves enough.
template <class W>
std::uint64_t best_divisor(const Sample<W>& sample) {
  std::uint64_t best = 0;
  double most = kLeastSaved;
  const auto consider = [&](std::uint64_t divisor) {
    if (sample.most_saved(double(divisor)) <= most) return false;
    const double saved = sample.saved(double(divisor));
    if (saved > most) {
      most = saved;
      best = divisor;
    }
    return true;
  };
  std::uint64_t divisor = 1;
  while (divisor <= kMostDivisor && consider(divisor)) ++divisor;
  if (divisor <= kMostDivisor) return best;
  for (divisor = 100'000; divisor < preludes::Divisors::kGreatest && consider(divisor);) {
    divisor *= 10;
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
        more += std::max(samples[i].saved(double(divisor)) - saved[i], 0.0);
      }
      if (more <= most) continue;
      most = more;
      best = divisor;
    }
    if (best == 0) break;
    chosen.insert(best);
    total += most;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      saved[i] = std::max(saved[i], samples[i].saved(double(best)));
    }
  }
  preludes::Divisors divisors;
  for (const std::uint64_t divisor : chosen) divisors.add(divisor);
  return divisors;
}

template preludes::Divisors find_divisors(const Words<std::uint32_t>& words);
template preludes::Divisors find_divisors(const Words<std::uint64_t>& words);

}  // namespace fpsynth::search
