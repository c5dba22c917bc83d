#include "runners/search/race/statistics/leaving_test.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace fpsynth::search {
namespace {

constexpr double kFarthest = 1e6;  ///< standard errors beyond which nothing is lost
constexpr std::size_t kTail = 2048;

}  // namespace

std::array<std::uint64_t, 2> Drawn::counts() const {
  const auto first = static_cast<std::uint64_t>(std::ranges::count(part, 0));
  return {first, part.size() - first};
}

std::vector<double> Drawn::weights() const {
  const std::array<std::uint64_t, 2> drawn = counts();
  std::vector<double> weights;
  for (const std::uint8_t of : part) weights.push_back(double(population[of]) / double(drawn[of]));
  return weights;
}

LeavingTest::LeavingTest(const Drawn& drawn, double risk, double margin)
    : drawn_(drawn), weights_(drawn.weights()), margin_(margin) {
  std::uint64_t fewest = 0;  // chunks of a part that was not drawn as a whole
  const std::array<std::uint64_t, 2> counts = drawn.counts();
  for (const std::size_t part : {0u, 1u}) {
    if (counts[part] == drawn.population[part]) continue;
    const double all = double(drawn.population[part]), n = double(counts[part]);
    variance_[part] = all * all / n * (1 - n / all) / (n - 1);
    fewest = fewest ? std::min(fewest, counts[part]) : counts[part];
  }
  if (fewest == 0) return;
  const boost::math::students_t distribution(double(fewest - 1));
  quantile_ = boost::math::quantile(boost::math::complement(distribution, risk));
  const double step = std::log(kFarthest / quantile_) / double(kTail - 1);
  for (std::size_t i = 0; i < kTail; ++i) {
    const double errors = quantile_ * std::exp(step * double(i));
    tail_.push_back(static_cast<std::uint64_t>(
        boost::math::cdf(boost::math::complement(distribution, errors)) * kOne));
  }
}

double LeavingTest::estimate(std::span<const std::uint32_t> bytes) const {
  double sum = 0;
  for (std::size_t chunk = 0; chunk < bytes.size(); ++chunk) sum += weights_[chunk] * bytes[chunk];
  return sum;
}

std::uint64_t LeavingTest::lost(double errors) const {
  if (tail_.empty() || !(errors < kFarthest)) return 0;
  const double place = std::log(errors / quantile_) / std::log(kFarthest / quantile_);
  // The entry before is that of fewer errors, and so no less.
  return tail_[std::min(kTail - 1, static_cast<std::size_t>(place * double(kTail - 1)))];
}

std::uint64_t LeavingTest::run(const SizeGrid& sizes, std::span<const std::uint32_t> extra,
                               double overhead, std::span<const std::uint32_t> leader,
                               double leader_overhead, std::vector<std::uint32_t>& stay) const {
  const double allowed = margin_ * (estimate(leader) + leader_overhead);
  const std::array<std::uint64_t, 2> counts = drawn_.counts();
  std::array<std::vector<std::int64_t>, 2> sums, squares;
  for (const std::size_t part : {0u, 1u}) {
    sums[part].resize(counts[part] ? extra.size() : 0);
    squares[part].resize(sums[part].size());
  }
  for (std::size_t chunk = 0; chunk < drawn_.chunks(); ++chunk) {
    const std::uint32_t* of_chunk = sizes.bytes.data() + chunk * sizes.chunk_step;
    const std::int64_t leaders = leader[chunk];
    std::int64_t* const sum = sums[drawn_.part[chunk]].data();
    std::int64_t* const square = squares[drawn_.part[chunk]].data();
    for (std::size_t p = 0; p < extra.size(); ++p) {
      const std::int64_t difference = std::int64_t{of_chunk[p * sizes.step]} + extra[p] - leaders;
      sum[p] += difference;
      square[p] += difference * difference;
    }
  }
  std::uint64_t lost_sum = 0;
  for (std::size_t p = 0; p < extra.size(); ++p) {
    double worse = overhead - leader_overhead + allowed, variance = 0;
    for (const std::size_t part : {0u, 1u}) {
      if (counts[part] == 0) continue;
      const double sum = double(sums[part][p]), n = double(counts[part]);
      worse += sum / n * double(drawn_.population[part]);
      variance += variance_[part] * std::max(0.0, double(squares[part][p]) - sum * sum / n);
    }
    const double error = std::sqrt(variance);
    if (worse > quantile_ * error) {
      if (error > 0) lost_sum += lost(worse / error);
    } else {
      stay.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return lost_sum;
}

}  // namespace fpsynth::search
