// The table of regrets, from made documents and races.

#include "runners/search/strategies/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "results/documents/race.hpp"
#include "runners/search/strategies/strategies.hpp"
#include "synth/common/error.hpp"
#include "tests/results/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using tests::contains;
using tests::message_of;

/// All components in two stages. Of the pipelines, `LNV1s ZE` has 1000 bytes, `BIT ZE` 1100 and
/// others 2000 or more.
results::Document document() {
  results::Document document = results::document_with("a", {1, 2, 4, 1, 2, 4});
  document.space = synth::Space::paper();
  document.space.stages = 2;
  document.space.cuts = {0, 1, 2};
  document.payload_bytes.clear();
  for (std::uint64_t id = 0; id < document.space.size(); ++id) {
    const std::string text = to_string(synth::without_identities(document.space.at(id)));
    const std::uint64_t bytes = text == "LNV1s ZE" ? 1000 : text == "BIT ZE" ? 1100 : 2000 + id;
    document.payload_bytes.push_back(bytes - document.overhead_bytes);
  }
  results::finish(document);
  return document;
}

/// A race of two rounds that left these pipelines.
RaceFinding raced(const StrategyComparison& comparison, const results::Document& document,
                  const std::vector<const char*>& left, std::uint64_t evaluations) {
  synth::Space survivors = document.space;
  for (const char* text : left) {
    survivors.only.push_back(*survivors.whole().id_of(synth::parse_pipeline(text)));
  }
  std::ranges::sort(survivors.only);
  results::Race race;
  race.seed = 3;
  race.rounds = {{1, 244, 100, evaluations - 10}, {2, 100, left.size(), 10}};
  return comparison.finding(race, survivors);
}

TEST(StrategyComparison, SaysWhatARaceFoundAndWhatItTook) {
  const results::Document all = document();
  const StrategyComparison comparison(all);
  const RaceFinding found = raced(comparison, all, {"BIT ZE", "LNV1s ZE", "LNV2s ZE"}, 500);
  EXPECT_EQ(found.seed, 3u);
  EXPECT_EQ(found.winner.bytes, 1000u);
  EXPECT_EQ(found.regret_percent, 0);
  EXPECT_EQ(found.survivors, 3u);
  EXPECT_EQ(found.chunk_evaluations, 500u + 3 * 2);
  const RaceFinding lost = raced(comparison, all, {"BIT ZE", "LNV2s ZE"}, 500);
  EXPECT_NEAR(lost.regret_percent, 10, 1e-9);
  // Ids that are one pipeline by NUL count once.
  const RaceFinding same = raced(comparison, all, {"NUL | ZE", "| NUL ZE"}, 500);
  EXPECT_EQ(same.survivors, 1u);
}

TEST(StrategyComparison, GivesAllTheBudgetOfTheRaces) {
  const results::Document all = document();
  const StrategyComparison comparison(all);
  const std::vector<RaceFinding> races = {raced(comparison, all, {"LNV1s ZE"}, 98),
                                          raced(comparison, all, {"BIT ZE"}, 138)};
  const Comparison found = comparison.against(races, 5);
  EXPECT_EQ(found.chunks, 2u);
  EXPECT_EQ(found.budget, 60u);  // (100 + 140) / 2 chunk-evaluations of two chunks
  EXPECT_EQ(found.best.bytes, 1000u);
  EXPECT_EQ(found.best_pipeline, "LNV1s ZE");
  EXPECT_DOUBLE_EQ(found.best_ratio, results::kBytes / 1000.0);
  EXPECT_DOUBLE_EQ(found.saved_factor(), double(found.pipelines) * 2 / 120);
  ASSERT_EQ(found.strategies.size(), strategies().size());
  for (std::size_t i = 0; i < found.strategies.size(); ++i) {
    const StrategyFinding& strategy = found.strategies[i];
    EXPECT_EQ(strategy.key, strategies()[i].key);
    EXPECT_EQ(strategy.regrets_percent.size(), strategies()[i].draws ? 5u : 1u);
    EXPECT_LE(strategy.evaluations, 60u);
    EXPECT_GE(strategy.worst_percent(), strategy.median_percent());
    EXPECT_GE(std::ranges::min(strategy.regrets_percent), 0);
    // With as many evaluations as there are pipelines, all find the best.
    const std::vector<RaceFinding> dear = {raced(comparison, all, {"LNV1s ZE"}, 1000000)};
    EXPECT_EQ(comparison.against(dear, 3).strategies[i].worst_percent(), 0);
  }
}

TEST(StrategyComparison, CountsTheBestOfThoseThatDecode) {
  results::Document all = document();
  all.failed = {*all.space.id_of(synth::parse_pipeline("LNV1s ZE"))};
  all.run.failures = 1;
  results::finish(all);
  const StrategyComparison comparison(all);
  const RaceFinding found = raced(comparison, all, {"BIT ZE"}, 50);
  EXPECT_EQ(found.regret_percent, 0);
  EXPECT_EQ(comparison.against({found}, 1).best_pipeline, "BIT ZE");
  EXPECT_TRUE(std::isinf(regret_percent(kNotRestored, 1000)));
}

TEST(StrategyComparison, RefusesARaceOfAnotherSpace) {
  const results::Document all = document();
  synth::Space other = all.space;
  other.cuts = {0, 1};
  other.only = {3};
  EXPECT_TRUE(contains(message_of([&] { StrategyComparison(all).finding({}, other); }),
                       "a (double): the race was of another space"));
}

}  // namespace
}  // namespace fpsynth::search
