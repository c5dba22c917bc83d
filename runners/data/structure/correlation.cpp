#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "components/preludes/ord.hpp"
#include "runners/data/structure/words.hpp"

namespace fpsynth::data {
namespace {

constexpr std::size_t kMostLag = std::size_t{1} << 16;
constexpr std::size_t kBlock = 256;  ///< ranks that are compared at once
constexpr std::size_t kCompared = 8 * kBlock;
constexpr std::size_t kWindowCount = 8;
constexpr std::size_t kMostMultiples = 2048;
constexpr std::size_t kMostMinima = 24;

/// Ranks of words as bytes: the 256 quantiles of a sample.
template <class Source>
class Quantiles {
  using W = decltype(std::declval<Source>()[0]);

 public:
  explicit Quantiles(const Source& words) {
    std::vector<W> sample;
    for (const Window& window : windows_of(0, words.size(), 8, 4096)) {
      for (std::size_t i = 0; i < window.words; ++i) {
        sample.push_back(preludes::Ord::forward(words[window.begin + i]));
      }
    }
    std::ranges::sort(sample);
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      bounds_[i] = sample[(i + 1) * sample.size() / 256];
    }
  }
  std::uint8_t operator()(W word) const {
    const W key = preludes::Ord::forward(word);
    std::size_t rank = 0;
    for (std::size_t step = 128; step > 0; step /= 2) {
      rank += bounds_[rank + step - 1] <= key ? step : 0;
    }
    return static_cast<std::uint8_t>(rank);
  }

 private:
  std::array<W, 255> bounds_;
};

/// The sum of absolute differences of kBlock ranks, by an instruction that all x86-64 processors
/// have, also in a sanitized build, in which compilers make no vectors of loops.
std::uint32_t difference(const std::uint8_t* a, const std::uint8_t* b) {
  static_assert(kBlock % sizeof(__m128i) == 0);
  const auto load = [](const std::uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  };
  __m128i sums = _mm_setzero_si128();
  for (std::size_t i = 0; i < kBlock; i += sizeof sums) {
    sums = _mm_add_epi64(sums, _mm_sad_epu8(load(a + i), load(b + i)));
  }
  return std::uint32_t(_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8)));
}

struct Minimum {
  std::size_t lag = 0;
  double depth = 0;  ///< below the average around it
};

/// The narrow minima of sums[1...], the deepest first, by how far they are below the average of
/// their surroundings, as a share of the average of all, sums[0]. Each is the sum of `samples`
/// differences: of those of ranks that are unrelated, the standard deviation is 0.71 of the
/// average, and minima that sampling alone may make are none.
std::vector<Minimum> minima_of(const std::vector<double>& sums, std::size_t samples) {
  std::vector<Minimum> minima;
  const double average = sums[0];
  if (sums.size() < 3 || average <= 0) return minima;
  const double least = std::max(0.01, 4 / std::sqrt(static_cast<double>(samples)));
  std::vector<double> prefix(sums.size() + 1);
  for (std::size_t i = 0; i < sums.size(); ++i) prefix[i + 1] = prefix[i] + sums[i];
  for (std::size_t lag = 2; lag < sums.size(); ++lag) {
    const bool last = lag + 1 == sums.size();
    if (sums[lag] > sums[lag - 1] || (!last && sums[lag] > sums[lag + 1])) continue;
    double depth = 0;
    for (const std::size_t reach : {2, 16, 128}) {
      const std::size_t begin = lag > reach ? lag - reach : 1;
      const std::size_t end = std::min(sums.size(), lag + reach + 1);
      const double around =
          (prefix[end] - prefix[begin] - sums[lag]) / static_cast<double>(end - begin - 1);
      depth = std::max(depth, (around - sums[lag]) / average);
    }
    if (depth > least) minima.push_back({lag, depth});
  }
  std::ranges::sort(minima, [](const Minimum& a, const Minimum& b) {
    return a.depth != b.depth ? a.depth > b.depth : a.lag < b.lag;
  });
  if (minima.size() > kMostMinima) minima.resize(kMostMinima);
  return minima;
}

/// The average magnitude difference of the ranks at the distances 1 to lags, each on the same
/// words, at [distance], and their average at [0].
struct Differences {
  std::vector<double> sums;
  std::size_t samples = 0;  ///< that each is a sum of
};
template <class Source>
Differences differences(const Source& words, const Quantiles<Source>& ranks, std::size_t lags) {
  Differences found{std::vector<double>(lags + 1)};
  std::vector<double>& sums = found.sums;
  std::vector<std::uint8_t> ranked;
  for (const Window& window : windows_of(lags, words.size(), kCompared, kCompared * kWindowCount)) {
    if (window.words < kBlock) continue;
    ranked.resize(lags + window.words);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      ranked[i] = ranks(words[window.begin - lags + i]);
    }
    for (std::size_t block = 0; block + kBlock <= window.words; block += kBlock) {
      const std::uint8_t* const now = ranked.data() + lags + block;
      for (std::size_t lag = 1; lag <= lags; ++lag) sums[lag] += difference(now, now - lag);
      found.samples += kBlock;
    }
  }
  for (std::size_t lag = 1; lag <= lags; ++lag) sums[0] += sums[lag] / static_cast<double>(lags);
  return found;
}

/// The same at multiples of `row`, [k] at k rows, on words that have all of them before them.
template <class Source>
Differences row_differences(const Source& words, const Quantiles<Source>& ranks, std::size_t row,
                            std::size_t rows) {
  Differences found{std::vector<double>(rows + 1)};
  std::vector<double>& sums = found.sums;
  for (const Window& window : windows_of(rows * row, words.size(), 16, 1024)) {
    found.samples += window.words;
    for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
      const int now = ranks(words[i]);
      for (std::size_t k = 1; k <= rows; ++k) {
        const int apart = now - int(ranks(words[i - k * row]));
        sums[k] += apart < 0 ? -apart : apart;
      }
    }
  }
  for (std::size_t k = 1; k <= rows; ++k) sums[0] += sums[k] / static_cast<double>(rows);
  return found;
}

}  // namespace

template <class Source>
std::vector<LagShare> correlated_lags(const Source& words) {
  if (words.size() < 4 * kBlock) return {};
  const std::size_t lags = std::min(kMostLag, words.size() / 2);
  const Quantiles<Source> ranks(words);
  const auto [sums, samples] = differences(words, ranks, lags);
  std::vector<LagShare> found;
  const auto add = [&](std::size_t lag, double share) {
    const auto same = [&](const LagShare& other) { return other.lag == lag; };
    if (std::ranges::none_of(found, same)) found.push_back({lag, share});
  };
  const std::vector<Minimum> minima = minima_of(sums, samples);
  for (const Minimum& minimum : minima) {
    add(minimum.lag, std::max(0.0, 1 - sums[minimum.lag] / sums[0]));
  }
  if (minima.empty()) return found;
  // Planes of rows are longer than what was looked at.
  const std::size_t row = minima.front().lag;
  const std::size_t rows = std::min(kMostMultiples, words.size() / 2 / row);
  if (rows * row <= lags || rows < 8) return found;
  const auto [row_sums, row_samples] = row_differences(words, ranks, row, rows);
  std::vector<Minimum> planes = minima_of(row_sums, row_samples);
  if (planes.size() > 4) planes.resize(4);
  for (const Minimum& plane : planes) {
    add(plane.lag * row, std::max(0.0, 1 - row_sums[plane.lag] / row_sums[0]));
  }
  return found;
}

template <class W>
Likeness likeness_at(const Words<W>& words, std::uint64_t lag) {
  Likeness likeness;
  std::size_t count = 0;
  for (const Window& window : windows_of(lag, words.size(), 128, 4096)) {
    for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
      const W now = words[i], before = words[i - lag];
      likeness.equal_share += now == before ? 1 : 0;
      // Modulo 2^w, the shorter of both differences.
      likeness.bits +=
          significant_bits(W(preludes::Ord::forward(now) - preludes::Ord::forward(before)));
      ++count;
    }
  }
  if (count > 0) {
    likeness.equal_share /= static_cast<double>(count);
    likeness.bits /= static_cast<double>(count);
  }
  return likeness;
}

template std::vector<LagShare> correlated_lags(const Words<std::uint32_t>&);
template std::vector<LagShare> correlated_lags(const Words<std::uint64_t>&);
template std::vector<LagShare> correlated_lags(const WordDifferences<std::uint32_t>&);
template std::vector<LagShare> correlated_lags(const WordDifferences<std::uint64_t>&);
template Likeness likeness_at(const Words<std::uint32_t>&, std::uint64_t);
template Likeness likeness_at(const Words<std::uint64_t>&, std::uint64_t);

}  // namespace fpsynth::data
