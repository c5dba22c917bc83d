#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "components/preludes/ord.hpp"
#include "runners/search/structure/suggester.hpp"

namespace fpsynth::search {
namespace {

/// The differences of words at a distance, of all that have a word so far before them.
template <class W>
class WordDifferences {
 public:
  WordDifferences(const Words<W>& words, std::size_t lag) : words_(words), lag_(lag) {}
  std::size_t size() const { return words_.size() - lag_; }
  W operator[](std::size_t i) const { return W(words_[i + lag_] - words_[i]); }

 private:
  const Words<W>& words_;
  std::size_t lag_;
};

struct LagShare {
  std::uint64_t lag = 0;
  double share = 0;
};

constexpr std::size_t kSequence = 4;
/// About so many sequences are looked at, and the table has twice the places.
constexpr std::size_t kSequences = std::size_t{1} << 18;
/// The most that are looked at if more are chosen, because a few are most of the input.
constexpr std::size_t kMostSequences = std::size_t{1} << 20;
constexpr std::size_t kMostRepeats = std::size_t{1} << 16;

std::uint64_t mixed(std::uint64_t word) {
  word *= 0x9e37'79b9'7f4a'7c15u;
  return word ^ word >> 32;
}

struct Occurrence {
  std::uint64_t hash = 0, position = 0;
};

/// The distances from sequences of four words to where they last stood before, over the whole
/// input, with the share of the sequences looked at, greatest first. Sequences are chosen by a hash
/// of their words, so that one that is looked at is so wherever it stands. Of long inputs, fewer
/// are: memory is at most 16 MB.
template <class W>
std::vector<LagShare> repeated_lags(const Words<W>& words) {
  if (words.size() <= kSequence) return {};
  // hash = m[i] p^3 + m[i+1] p^2 + m[i+2] p + m[i+3], modulo 2^64, for the sequence from i.
  constexpr std::uint64_t kFactor = 0xd6e8'feb8'6659'fd93u;
  constexpr std::uint64_t kCube = kFactor * kFactor * kFactor;
  std::uint64_t last[kSequence] = {}, hash = 0;
  for (std::size_t i = 0; i < kSequence; ++i) {
    last[i] = mixed(words[i]);
    hash = hash * kFactor + last[i];
  }
  const std::size_t sequences = words.size() - kSequence + 1;
  const std::size_t skipped =
      sequences > kSequences ? std::size_t(std::bit_width(sequences / kSequences)) : 0;
  const std::uint64_t chosen = (std::uint64_t{1} << skipped) - 1;
  const std::size_t places = std::min(2 * kSequences, std::bit_ceil(2 * sequences));
  std::vector<Occurrence> table(places);
  std::unordered_map<std::uint64_t, std::uint32_t> lags;
  std::size_t looked_at = 0;
  for (std::size_t i = 0;; ++i) {
    const bool constant =
        last[0] == last[1] && last[1] == last[2] && last[2] == last[3];  // repeats at distance 1
    const std::uint64_t place = hash ^ hash >> 29;
    if (!constant && (place & chosen) == 0 && looked_at < kMostSequences) {
      ++looked_at;
      Occurrence& before = table[(place >> skipped) & (places - 1)];
      // Position 0 means that nothing stood there.
      if (before.position != 0 && before.hash == hash) {
        const std::uint64_t lag = i + 1 - before.position;
        if (const auto known = lags.find(lag); known != lags.end()) {
          ++known->second;
        } else if (lags.size() < kMostRepeats) {
          lags.emplace(lag, 1);
        }
      }
      before = {hash, i + 1};
    }
    if (i + kSequence == words.size()) break;
    hash = (hash - last[0] * kCube) * kFactor;
    std::copy(last + 1, last + kSequence, last);
    last[kSequence - 1] = mixed(words[i + kSequence]);
    hash += last[kSequence - 1];
  }
  std::vector<LagShare> shares;
  for (const auto& [lag, count] : lags) {
    if (count > 1) shares.push_back({lag, double(count) / double(looked_at)});
  }
  std::ranges::sort(shares, [](const LagShare& a, const LagShare& b) {
    return a.share != b.share ? a.share > b.share : a.lag < b.lag;
  });
  return shares;
}

constexpr std::size_t kMostDistance = std::size_t{1} << 16;
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

  void set_average() {
    sums[0] = std::accumulate(sums.begin() + 1, sums.end(), 0.0) / double(sums.size() - 1);
  }
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
  found.set_average();
  return found;
}

/// The same at multiples of `row`, [k] at k rows, on words that have all of them before them.
template <class Source>
Differences row_differences(const Source& words, const Quantiles<Source>& ranks, std::size_t row,
                            std::size_t rows) {
  Differences found{std::vector<double>(rows + 1)};
  for (const Window& window : windows_of(rows * row, words.size(), 16, 1024)) {
    found.samples += window.words;
    for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
      const int now = ranks(words[i]);
      for (std::size_t k = 1; k <= rows; ++k) {
        found.sums[k] += std::abs(now - int(ranks(words[i - k * row])));
      }
    }
  }
  found.set_average();
  return found;
}

/// Distances at which the average magnitude difference of the words' ranks has a narrow minimum,
/// with the correlation there: 1 if the ranks are equal, 0 if they are as far apart as on average.
/// The most pronounced first. Up to 65,536 words, and multiples of the best of these up to the
/// input's length. For Words and WordDifferences.
template <class Source>
std::vector<LagShare> correlated_lags(const Source& words) {
  if (words.size() < 4 * kBlock) return {};
  const std::size_t lags = std::min(kMostDistance, words.size() / 2);
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

/// Lags that differ by no more are next to one another.
constexpr std::uint64_t kNear = 4;
constexpr std::size_t kMostLags = 10;
/// Lags of differences: how much these are alike there, at least, and how many lags there are.
constexpr double kLeastInner = 0.5;
constexpr std::size_t kMostInner = 2;

/// Drops the lags next to multiples of more promising ones, at which words are alike because they
/// are at these; but not strides of the shape.
void drop_echoes(std::vector<LagFinding>& lags) {
  std::vector<LagFinding> kept;
  for (const LagFinding& lag : lags) {
    const bool echo = std::ranges::any_of(kept, [&](const LagFinding& other) {
      if (other.lag > lag.lag + kNear) return false;
      const std::uint64_t past = lag.lag % other.lag;
      const std::uint64_t away = std::min(past, other.lag - past);
      return away == 0 || (away <= kNear && other.lag > 8 * kNear);
    });
    if (!echo || lag.from_shape) kept.push_back(lag);
  }
  lags = std::move(kept);
}

/// Sets how alike words are at each lag.
template <class W>
void set_likeness(const Words<W>& words, std::vector<LagFinding>& lags) {
  // The share of words that are equal, and the significant bits of differences mapped by ORD.
  const auto likeness_at = [&](std::uint64_t lag) {
    double equal = 0, bits = 0, count = 0;
    for (const Window& window : windows_of(lag, words.size(), 128, 4096)) {
      for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
        const W now = preludes::Ord::forward(words[i]);
        const W difference = W(now - preludes::Ord::forward(words[i - lag]));
        equal += difference == 0 ? 1 : 0;
        bits += significant_bits(difference);  // modulo 2^w, of the shorter of both differences
        ++count;
      }
    }
    return count > 0 ? std::pair(equal / count, bits / count) : std::pair(0.0, 0.0);
  };
  const double neighbours = likeness_at(1).second;
  for (LagFinding& lag : lags) {
    const auto [equal, bits] = likeness_at(lag.lag);
    lag.equal_share = equal;
    lag.bits_less = neighbours - bits;
  }
}

/// Adds shorter lags at which the differences at the most promising one are alike, as those of rows
/// are behind the distance of planes, which the words need not show.
template <class W>
void add_inner(const Words<W>& words, std::vector<LagFinding>& lags) {
  if (lags.empty()) return;
  const std::uint64_t outer = lags.front().lag;
  std::vector<LagFinding> inner;
  for (const LagShare& found : correlated_lags(WordDifferences<W>(words, outer))) {
    if (found.lag >= outer || found.share < kLeastInner) continue;
    inner.push_back({.lag = found.lag, .behind = outer, .correlation = found.share});
  }
  drop_echoes(inner);
  if (inner.size() > kMostInner) inner.resize(kMostInner);
  set_likeness(words, inner);
  for (const LagFinding& lag : inner) {
    if (std::ranges::find(lags, lag.lag, &LagFinding::lag) == lags.end()) lags.push_back(lag);
  }
}

}  // namespace

std::vector<std::uint64_t> strides_of(const std::vector<std::uint64_t>& shape, std::size_t words) {
  std::vector<std::uint64_t> strides;
  std::uint64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 1;) {
    const std::uint64_t extent = shape[i];
    if (extent == 0 || extent > words / stride) break;  // it is not this input's
    stride *= extent;
    if (stride > 1 && stride < words) strides.push_back(stride);
  }
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  return strides;
}

template <class W>
std::vector<LagFinding> find_lags(const Words<W>& words,
                                  const std::vector<std::uint64_t>& strides) {
  std::vector<LagFinding> lags;
  const auto lag_at = [&](std::uint64_t lag) -> LagFinding& {
    const auto known = std::ranges::find(lags, lag, &LagFinding::lag);
    if (known != lags.end()) return *known;
    lags.push_back({.lag = lag});
    return lags.back();
  };
  for (const std::uint64_t stride : strides) lag_at(stride).from_shape = true;
  std::size_t repeats = 0;
  for (const LagShare& repeat : repeated_lags(words)) {
    if (repeat.share < 0.01 || ++repeats > 6) break;
    if (repeat.lag > 1) lag_at(repeat.lag).repeat_share = repeat.share;
  }
  for (const LagShare& correlated : correlated_lags(words)) {
    lag_at(correlated.lag).correlation = correlated.share;
  }
  set_likeness(words, lags);
  // The cost of the first words of the input, which stay, is part of the promise.
  const auto promise = [&](const LagFinding& lag) {
    return (lag.bits_less + 8 * lag.equal_share + 4 * lag.repeat_share + (lag.from_shape ? 4 : 0)) *
           (1 - double(lag.lag) / double(words.size()));
  };
  std::ranges::stable_sort(lags, [&](const LagFinding& a, const LagFinding& b) {
    return promise(a) != promise(b) ? promise(a) > promise(b) : a.lag < b.lag;
  });
  drop_echoes(lags);
  if (lags.size() > kMostLags) lags.resize(kMostLags);
  add_inner(words, lags);
  return lags;
}

template std::vector<LagFinding> find_lags(const Words<std::uint8_t>&,
                                           const std::vector<std::uint64_t>&);
template std::vector<LagFinding> find_lags(const Words<std::uint16_t>&,
                                           const std::vector<std::uint64_t>&);
template std::vector<LagFinding> find_lags(const Words<std::uint32_t>&,
                                           const std::vector<std::uint64_t>&);
template std::vector<LagFinding> find_lags(const Words<std::uint64_t>&,
                                           const std::vector<std::uint64_t>&);

}  // namespace fpsynth::search
