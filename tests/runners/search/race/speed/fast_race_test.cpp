// Races for the best of the pipelines that are fast enough.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runners/search/race/race.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/search/speeds.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using results::Direction;
using tests::contains;
using tests::message_of;

/// Four chunks, all of which a race draws and predicts speeds on, in three stages.
class FastRace : public ::testing::Test {
 protected:
  FastRace() {
    std::vector<std::span<const std::byte>> chunks;
    for (std::size_t i = 0; i < 4; ++i) {
      chunks.push_back(input_.bytes().subspan(i * synth::kChunkWords * 8, synth::kChunkWords * 8));
    }
    const SpeedLimit none(model_, {}, 8, 1);
    predicted_ = SpeedWalker(none, plan_, 8, 1, components::default_stages()).predict(chunks, {});
    SearchOptions counting;
    counting.verification = Verification::parse("none");
    all_ = search(input_, plan_, counting);
  }

  double speed(std::uint64_t id, Direction direction) const {
    const auto& one = predicted_[plan_.leaf_of_id()[id]];
    return *model_.gb_per_s(one.times.of(direction), one.out_bytes, 1, direction);
  }
  /// The speed that a share of the pipelines does not reach, between those of two of them.
  double speed_of_share(double share, Direction direction) const {
    std::vector<double> speeds;
    for (std::uint64_t id = 0; id < space_.size(); ++id) speeds.push_back(speed(id, direction));
    std::ranges::sort(speeds);
    auto at = static_cast<std::size_t>(share * double(speeds.size()));
    while (at + 1 < speeds.size() && speeds[at + 1] < speeds[at] * 1.000001) ++at;
    return at + 1 < speeds.size() ? (speeds[at] + speeds[at + 1]) / 2 : speeds[at];
  }
  bool is_fast(std::uint64_t id, const MinSpeed& least) const {
    return speed(id, Direction::Compress) >= least.compress &&
           speed(id, Direction::Decompress) >= least.decompress;
  }

  Raced raced(const MinSpeed& least, std::uint64_t most_leaves, int threads,
              const PreludeOptions& preludes = {}) const {
    const SpeedLimit limit(model_, least, 8, 1);
    RaceOptions race;
    race.margin = 0;
    race.most_leaves = most_leaves;
    race.min_speed = least;
    race.speed_limit = &limit;
    SearchOptions options;
    options.threads = threads;
    return search::race(input_, space_, race, preludes, options);
  }

  const synth::Space space_ = tests::space_of(3);
  const synth::Plan plan_{space_};
  const results::CostModel model_ = tests::model_of(8);
  const data::Input input_ = input_of(tests::several(8), synth::Precision::Double);
  std::vector<SpeedWalker::Predicted> predicted_;
  results::Document all_;
};

TEST_F(FastRace, FindsTheBestOfTheFastEnough) {
  std::vector<std::uint64_t> winners;
  for (const double share : {0.1, 0.5, 0.9}) {
    const MinSpeed least{speed_of_share(share, Direction::Compress),
                         speed_of_share(share / 2, Direction::Decompress)};
    const auto best =
        std::ranges::find_if(all_.ranking, [&](std::uint64_t id) { return is_fast(id, least); });
    ASSERT_NE(best, all_.ranking.end());
    winners.push_back(all_.payload_bytes[*best]);
    // In one plan, and behind prefixes.
    for (const std::uint64_t most_leaves : {300'000u, 20u}) {
      const Raced found = raced(least, most_leaves, 2);
      std::uint64_t smallest = UINT64_MAX;
      for (const std::uint64_t id : found.space.only) {
        EXPECT_TRUE(is_fast(id, least)) << synth::to_string(space_.at(id));
        smallest = std::min(smallest, all_.payload_bytes[id]);
      }
      EXPECT_EQ(smallest, all_.payload_bytes[*best]);
      EXPECT_EQ(found.race.min_speed, least.text());
      std::uint64_t slow = 0;
      std::vector<std::uint8_t> counted(plan_.leaves().size());
      for (std::uint64_t id = 0; id < space_.size(); ++id) {
        const std::uint32_t leaf = plan_.leaf_of_id()[id];
        if (!counted[leaf]) slow += !is_fast(id, least);
        counted[leaf] = 1;
      }
      EXPECT_EQ(found.race.too_slow, slow);
      EXPECT_EQ(raced(least, most_leaves, 1).space, found.space);
    }
  }
  // The faster, the larger: the limits decide something.
  EXPECT_LT(winners.front(), winners.back());
}

TEST_F(FastRace, SaysThatNothingIsFastEnough) {
  EXPECT_TRUE(contains(message_of([&] {
                         raced({1e6, 0}, 20, 1);
                       }),
                       "no pipeline of the space is predicted to reach compress=1000000 GB/s"));
}

TEST_F(FastRace, PredictsNoPreludes) {
  PreludeOptions preludes;
  preludes.request = synth::PreludeRequest::parse("auto");
  EXPECT_THROW(raced({1, 0}, 20, 1, preludes), UsageError);
}

TEST_F(FastRace, IsAnotherRaceThanWithoutOrWithOtherSpeeds) {
  RaceOptions race;
  const std::string any = race.text();
  race.min_speed = {1, 0};
  EXPECT_NE(race.text(), any);
  EXPECT_TRUE(contains(race.text(), "at least compress=1 GB/s"));
  results::CostModel other = model_;
  other.stages.front().fixed += 1;
  EXPECT_NE(SpeedLimit(model_, {1, 0}, 8, 1).identity(),
            SpeedLimit(other, {1, 0}, 8, 1).identity());
}

}  // namespace
}  // namespace fpsynth::search
