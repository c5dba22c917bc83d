// The paper's components in five stages: the memory of a walker.

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
  for (const std::size_t word_bytes : {2, 4, 8}) {
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

}  // namespace
}  // namespace fpsynth::search
