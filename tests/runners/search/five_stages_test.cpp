// The paper's components in five stages: the memory of a walker, and its sums.

#include <gtest/gtest.h>

#include "runners/search/subtrees.hpp"
#include "runners/search/walker.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

/// The paper's components in five stages: 3,981,312 pipelines, 3,484,136 of them distinct.
const synth::Plan& five_stages() {
  static const synth::Plan plan([] {
    synth::Space space = synth::Space::paper();
    space.stages = 5;
    space.cuts.push_back(5);
    return space;
  }());
  return plan;
}

TEST(FiveStages, AThreadTakesLittleMemoryBesideItsSums) {
  const synth::Plan& plan = five_stages();
  ASSERT_EQ(plan.space().size(), 3'981'312u);
  ASSERT_EQ(plan.leaves().size(), 3'484'136u);
  const std::size_t sums = 8 * plan.leaves().size();
  const Subtrees subtrees(plan);
  for (const std::size_t word_bytes : {4, 8}) {
    const Walker verifying(plan, word_bytes, Mode::Verify, components::default_stages()),
        counting(plan, word_bytes, Mode::Count, components::default_stages()),
        merging(plan, word_bytes, Mode::Count, components::default_stages(), &subtrees);
    for (const Walker* walker : {&verifying, &counting, &merging}) {
      EXPECT_GT(walker->owned_bytes(), sums + 4 * plan.leaves().size());
      EXPECT_LE(walker->owned_bytes(), sums + (std::size_t{64} << 20));
    }
    EXPECT_GT(merging.owned_bytes(), counting.owned_bytes());
  }
}

TEST(FiveStages, LONG_AWholeChunkIsCountedAsItIsVerified) {
  const synth::Plan& plan = five_stages();
  const Subtrees subtrees(plan);
  const auto chunk = testing::make_block(testing::Content::Smooth, 8, 1024);
  Walker verifying(plan, 8, Mode::Verify, components::default_stages()),
      merging(plan, 8, Mode::Count, components::default_stages(), &subtrees);
  verifying.walk(chunk);
  merging.walk(chunk);
  EXPECT_TRUE(std::ranges::equal(verifying.block_bytes(), merging.block_bytes()));
  for (const auto failed : {verifying.failed_nodes(), verifying.failed_leaves()}) {
    EXPECT_TRUE(std::ranges::all_of(failed, [](std::uint32_t count) { return count == 0; }));
  }
  EXPECT_GT(merging.merged_states(), 0u);
}

}  // namespace
}  // namespace fpsynth::search
