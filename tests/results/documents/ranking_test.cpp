#include "results/documents/means.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "synth/common/error.hpp"

namespace fpsynth::results {
namespace {

using Ids = std::vector<std::uint64_t>;

TEST(Ranking, FewestBytesFirstTiesById) {
  EXPECT_EQ(rank(Ids{30, 10, 20, 10, 30}, Ids{}), (Ids{1, 3, 2, 0, 4}));
}

TEST(Ranking, FailedPipelinesAreNotRanked) {
  EXPECT_EQ(rank(Ids{30, 10, 20}, Ids{1}), (Ids{2, 0}));
  EXPECT_EQ(rank(Ids{30, 10}, Ids{1, 0, 1}), Ids{});
  EXPECT_EQ(rank(Ids{}, Ids{}), Ids{});
}

TEST(Ranking, FailedIdBeyondTheSpaceIsAnError) { EXPECT_THROW(rank(Ids{1, 2}, Ids{2}), Error); }

TEST(Ranking, RatioIsOriginalByCompressed) {
  EXPECT_DOUBLE_EQ(ratio(300, 200), 1.5);
  EXPECT_DOUBLE_EQ(ratio(0, 20), 0);
  EXPECT_DOUBLE_EQ(ratio(20, 0), 0);
}

TEST(Ranking, HarmonicMean) {
  EXPECT_DOUBLE_EQ(harmonic_mean(std::vector{1.0, 4.0}), 1.6);
  EXPECT_DOUBLE_EQ(harmonic_mean(std::vector{2.0}), 2.0);
  EXPECT_DOUBLE_EQ(harmonic_mean(std::vector<double>{}), 0);
  EXPECT_DOUBLE_EQ(harmonic_mean(std::vector{2.0, 0.0}), 0);
}

TEST(Ranking, LowestLeavesOutInfiniteCosts) {
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(lowest(std::vector{0.5, never, 0.25, 0.5}, 10), (Ids{2, 0, 3}));
  EXPECT_EQ(lowest(std::vector{0.5, never, 0.25, 0.5}, 2), (Ids{2, 0}));
  EXPECT_EQ(lowest(std::vector{never}, 1), Ids{});
}

}  // namespace
}  // namespace fpsynth::results
