// The strategies that the race is compared with, on costs where the best is known.

#include "runners/search/strategies/strategies.hpp"
#include "runners/search/strategies/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "synth/common/error.hpp"
#include "tests/results/support.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using tests::contains;
using tests::message_of;

/// The first components of the paper's space, NUL among them.
synth::Plan plan_of(std::size_t components, unsigned stages) {
  synth::Space space = synth::Space::paper();
  space.stages = stages;
  space.cuts.resize(stages + 1);
  space.components.resize(components);
  return synth::Plan(space);
}
const synth::Plan& plan() {
  static const synth::Plan plan = plan_of(12, 4);
  return plan;
}

std::uint32_t leaf_of(const std::string& pipeline) {
  const synth::Space& space = plan().space();
  return plan().leaf_of_id()[*space.id_of(space.padded(synth::parse_pipeline(pipeline)))];
}

/// 1000 bytes for every pipeline but one.
std::vector<std::uint64_t> only_good(const std::string& pipeline) {
  std::vector<std::uint64_t> bytes(plan().leaves().size(), 1000);
  bytes[leaf_of(pipeline)] = 10;
  return bytes;
}

/// A pipeline is as good as its stages together, each of which is worth something of its own and
/// the more the later it comes, so that good prefixes lead to good pipelines.
std::vector<std::uint64_t> smooth_bytes() {
  std::vector<std::uint64_t> bytes(plan().leaves().size());
  for (std::uint64_t id = 0; id < plan().space().size(); ++id) {
    const synth::Pipeline pipeline = synth::without_identities(plan().space().at(id));
    std::uint64_t& sum = bytes[plan().leaf_of_id()[id]];
    sum = 10000;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
      const auto price =
          static_cast<std::uint64_t>(pipeline.stages[i].family * 16 + pipeline.stages[i].parameter);
      sum -= price * (i + 1) + (i < pipeline.cut ? 3 : 0);
    }
  }
  return bytes;
}

Evaluated best_of(const Strategy& strategy, const std::vector<std::uint64_t>& bytes,
                  std::uint64_t budget, std::uint64_t seed = 1) {
  Evaluations evaluations(bytes, budget);
  strategy.run(plan(), evaluations, seed);
  return evaluations.best();
}

const Strategy& strategy(std::string_view key) {
  return *std::ranges::find(strategies(), key, &Strategy::key);
}

TEST(Evaluations, CountsEachPipelineOnceAndEndsWithTheBudget) {
  const std::vector<std::uint64_t> bytes = {7, 5, kNotRestored, 5};
  Evaluations evaluations(bytes, 3);
  EXPECT_EQ(evaluations.best(), (Evaluated{0, kNotRestored}));
  EXPECT_EQ(evaluations.of(2), kNotRestored);
  EXPECT_EQ(evaluations.of(3), 5u);
  EXPECT_EQ(evaluations.of(3), 5u);
  EXPECT_EQ(evaluations.used(), 2u);
  EXPECT_EQ(evaluations.of(1), 5u);
  EXPECT_TRUE(evaluations.over());
  EXPECT_EQ(evaluations.of(0), std::nullopt);
  EXPECT_EQ(evaluations.of(1), 5u);
  EXPECT_EQ(evaluations.used(), 3u);
  EXPECT_EQ(evaluations.best(), (Evaluated{3, 5}));  // the first of equal ones
}

TEST(Strategies, NeverExceedTheBudgetAndUseAllOfIt) {
  const std::vector<std::uint64_t> bytes = smooth_bytes();
  for (const Strategy& strategy : strategies()) {
    for (const std::uint64_t budget : {1u, 2u, 15u, 16u, 17u, 100u, 300u, 1000u}) {
      Evaluations evaluations(bytes, budget);
      strategy.run(plan(), evaluations, 5);
      EXPECT_LE(evaluations.used(), budget) << strategy.name;
      // Beam search stops where the next prefix would take too many evaluations.
      EXPECT_GE(evaluations.used(), strategy.draws ? budget : budget - std::min(budget, 66ul))
          << strategy.name;
      EXPECT_NE(evaluations.best().bytes, kNotRestored) << strategy.name << " " << budget;
    }
  }
}

TEST(Strategies, FindTheBestOfAllIfTheBudgetIsAllPipelines) {
  const std::uint64_t all = plan().leaves().size();
  const std::vector<std::uint64_t> bytes = only_good("BIT | DIM2 RLE");
  for (const Strategy& strategy : strategies()) {
    for (const std::uint64_t budget : {all, 2 * all}) {
      Evaluations evaluations(bytes, budget);
      strategy.run(plan(), evaluations, 1);
      EXPECT_EQ(evaluations.used(), all) << strategy.name;
      EXPECT_EQ(evaluations.best(), (Evaluated{leaf_of("BIT | DIM2 RLE"), 10})) << strategy.name;
    }
  }
}

TEST(Strategies, EvaluateTheSameWithTheSameSeed) {
  const std::vector<std::uint64_t> bytes = smooth_bytes();
  for (const Strategy& strategy : strategies()) {
    bool differs = false;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      EXPECT_EQ(best_of(strategy, bytes, 40, seed), best_of(strategy, bytes, 40, seed));
      differs |= best_of(strategy, bytes, 40, seed) != best_of(strategy, bytes, 40, 1);
    }
    EXPECT_EQ(differs, strategy.draws) << strategy.name;
  }
}

// Every pipeline has the same chance, however many ids it has; the shortest have the most.
TEST(RandomSampling, DrawsEveryPipelineAlike) {
  constexpr std::uint64_t kSeeds = 20000;
  const synth::Plan small = plan_of(6, 3);
  const std::vector<std::uint64_t> bytes(small.leaves().size(), 1);
  std::vector<std::uint64_t> drawn(bytes.size());
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Evaluations evaluations(bytes, 1);
    random_sampling(small, evaluations, seed);
    ++drawn[evaluations.best().leaf];
  }
  const double expected = double(kSeeds) / double(bytes.size());
  for (const std::uint64_t count : drawn) {
    EXPECT_NEAR(double(count), expected, 6 * std::sqrt(expected));
  }
  // The pipelines of one stage, which are the root's leaves, together.
  const std::uint64_t shortest = std::accumulate(drawn.begin(), drawn.begin() + 4, 0ul);
  ASSERT_EQ(small.nodes()[0].leaf_count, 4u);
  EXPECT_NEAR(double(shortest), 4 * expected, 6 * std::sqrt(4 * expected));
}

// The best pipeline's parts are good in others, too, which is what these two go by: they find it
// with a tenth of the pipelines, and random sampling hardly ever does.
TEST(Strategies, FollowWhatIsGood) {
  const std::vector<std::uint64_t> bytes = smooth_bytes();
  const std::uint64_t least = *std::ranges::min_element(bytes), budget = bytes.size() / 10;
  EXPECT_EQ(best_of(strategy("beam_search"), bytes, budget).bytes, least);
  int found = 0, by_chance = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    found += best_of(strategy("genetic_algorithm"), bytes, budget, seed).bytes == least;
    by_chance += best_of(strategy("random_sampling"), bytes, budget, seed).bytes == least;
  }
  EXPECT_GT(found, by_chance);
}

// A good pipeline all of whose prefixes are bad alone: beam search misses it.
TEST(BeamSearch, MissesWhatItsPrefixesDoNotShow) {
  std::vector<std::uint64_t> bytes = smooth_bytes();
  const std::uint32_t hidden = leaf_of("INV INV INV | ZE");
  for (const char* shorter : {"INV INV | ZE", "INV INV | RLE", "INV INV ZE", "INV INV RLE"}) {
    bytes[leaf_of(shorter)] = 100000;
  }
  bytes[hidden] = 1;
  EXPECT_NE(best_of(strategy("beam_search"), bytes, bytes.size() / 4).leaf, hidden);
}

TEST(LeafBytes, AreTheDocumentsCompressedBytes) {
  results::Document document = results::document_with("a", {1, 2, 4, 1, 2, 4});
  const synth::Plan small(document.space);
  document.failed = {1, 4};
  results::finish(document);
  const auto bytes = leaf_bytes(document, small);
  for (std::uint64_t id = 0; id < 6; ++id) {
    const bool failed = id % 3 == 1;
    EXPECT_EQ(bytes[small.leaf_of_id()[id]], failed ? kNotRestored : document.compressed_bytes(id));
  }
  document = results::document_with_preludes();
  EXPECT_EQ(leaf_bytes(document, small)[small.leaf_of_id()[2]], document.compressed_bytes(2));
}

TEST(LeafBytes, RefusesWhatWasNotAllSearched) {
  results::Document document = results::document_with("a", {1, 2, 4, 1, 2, 4});
  const synth::Plan small(document.space);
  results::Document raced = document;
  raced.space.only = {1};
  EXPECT_TRUE(contains(message_of([&] { leaf_bytes(raced, small); }),
                       "a (double): only some pipelines were searched"));
  results::Document part = document;
  part.run.complete = false;
  EXPECT_TRUE(contains(message_of([&] { leaf_bytes(part, small); }), "not complete"));
  EXPECT_TRUE(contains(message_of([&] { leaf_bytes(document, plan()); }), "not the plan's"));
}

}  // namespace
}  // namespace fpsynth::search
