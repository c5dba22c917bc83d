#include "runners/data/structure/lags.hpp"

#include <algorithm>

namespace fpsynth::data {
namespace {

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

template <class W>
void set_likeness(const Words<W>& words, std::vector<LagFinding>& lags) {
  const double neighbours = likeness_at(words, 1).bits;
  for (LagFinding& lag : lags) {
    const Likeness likeness = likeness_at(words, lag.lag);
    lag.equal_share = likeness.equal_share;
    lag.bits_less = neighbours - likeness.bits;
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

template std::vector<LagFinding> find_lags(const Words<std::uint32_t>&,
                                           const std::vector<std::uint64_t>&);
template std::vector<LagFinding> find_lags(const Words<std::uint64_t>&,
                                           const std::vector<std::uint64_t>&);

}  // namespace fpsynth::data
