#include "runners/search/race/leaving_test.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace fpsynth::search {
namespace {

constexpr double kFarthest = 1e6;  ///< standard errors beyond which nothing is lost
constexpr std::size_t kTail = 2048;

}  // namespace

double ChunkSizes::total() const {
  return double(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})) +
         overhead * double(bytes.size());
}

LeavingTest::LeavingTest(std::uint64_t chunks, std::uint64_t population, double risk, double margin)
    : chunks_(chunks), margin_(margin), left_(1 - double(chunks) / double(population)) {
  if (chunks < 2 || chunks == population) return;
  const boost::math::students_t distribution(double(chunks - 1));
  quantile_ = boost::math::quantile(boost::math::complement(distribution, risk));
  const double step = std::log(kFarthest / quantile_) / double(kTail - 1);
  for (std::size_t i = 0; i < kTail; ++i) {
    const double errors = quantile_ * std::exp(step * double(i));
    tail_.push_back(static_cast<std::uint64_t>(
        boost::math::cdf(boost::math::complement(distribution, errors)) * kOne));
  }
}

std::uint64_t LeavingTest::lost(double errors) const {
  if (tail_.empty() || !(errors < kFarthest)) return 0;
  const double place = std::log(errors / quantile_) / std::log(kFarthest / quantile_);
  // The entry before is that of fewer errors, and so no less.
  return tail_[std::min(kTail - 1, static_cast<std::size_t>(place * double(kTail - 1)))];
}

std::uint64_t LeavingTest::run(const SizeGrid& sizes, std::span<const std::uint32_t> extra,
                               double overhead, const ChunkSizes& leader,
                               std::vector<std::uint32_t>& stay) const {
  const double n = double(chunks_);
  const double allowed = margin_ * leader.total() / n;
  std::vector<std::int64_t> sums(extra.size()), squares(extra.size());
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
    const std::uint32_t* of_chunk = sizes.bytes.data() + chunk * sizes.chunk_step;
    const std::int64_t leaders = leader.bytes[chunk];
    for (std::size_t p = 0; p < extra.size(); ++p) {
      const std::int64_t difference = std::int64_t{of_chunk[p * sizes.step]} + extra[p] - leaders;
      sums[p] += difference;
      squares[p] += difference * difference;
    }
  }
  std::uint64_t lost_sum = 0;
  for (std::size_t p = 0; p < extra.size(); ++p) {
    const double sum = double(sums[p]);
    const double worse = sum / n + overhead - leader.overhead + allowed;
    const double variance = std::max(0.0, double(squares[p]) - sum * sum / n);
    const double error = chunks_ < 2 ? 0 : std::sqrt(variance / (n - 1) / n * left_);
    if (worse > quantile_ * error) {
      if (error > 0) lost_sum += lost(worse / error);
    } else {
      stay.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return lost_sum;
}

}  // namespace fpsynth::search
