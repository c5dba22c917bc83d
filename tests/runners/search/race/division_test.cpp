// The division of a space into prefixes and tails has every distinct pipeline, and none twice.

#include "runners/search/race/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>

#include "synth/common/error.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

synth::Space space_of(std::initializer_list<const char*> names, unsigned stages,
                      std::vector<unsigned> cuts) {
  synth::Space space = synth::Space::paper();
  space.components.clear();
  for (const char* name : names) space.components.push_back(*synth::parse_component(name));
  space.stages = stages;
  space.cuts = std::move(cuts);
  return space;
}

/// The distinct pipelines of a space, without NULs.
std::set<std::string> distinct(const synth::Space& space) {
  std::set<std::string> texts;
  for (std::uint64_t id = 0; id < space.size(); ++id) {
    texts.insert(to_string(synth::without_identities(space.at(id))));
  }
  return texts;
}

void expect_all_once(const synth::Space& space, std::uint64_t most_leaves) {
  const Division division(space, 8, most_leaves);
  std::set<std::string> found;
  std::uint64_t pipelines = 0;
  for (std::uint64_t prefix = 0; prefix < division.prefixes(); ++prefix) {
    const PrefixGroup& group = division.group_of(prefix);
    ASSERT_LE(group.first, prefix);
    ASSERT_LT(prefix, group.first + group.count);
    const Tail& tail = division.tails()[group.tail];
    EXPECT_EQ(tail.word_bytes, group.bytes ? 1u : 8u);
    for (std::uint32_t leaf = 0; leaf < tail.plan.leaves().size(); ++leaf) {
      const synth::Pipeline pipeline = division.pipeline(prefix, leaf);
      found.insert(to_string(pipeline));
      ++pipelines;
      ASSERT_EQ(synth::without_identities(space.at(division.id_of(pipeline))), pipeline);
    }
  }
  EXPECT_EQ(found.size(), pipelines) << space.describe();
  EXPECT_EQ(division.pipelines(), pipelines);
  EXPECT_EQ(found, distinct(space)) << space.describe();
}

TEST(Division, HasEveryDistinctPipelineOnce) {
  for (unsigned stages = 1; stages <= 4; ++stages) {
    for (unsigned chosen = 1; chosen < 2u << stages; ++chosen) {
      std::vector<unsigned> cuts;
      for (unsigned cut = 0; cut <= stages; ++cut) {
        if (chosen >> cut & 1) cuts.push_back(cut);
      }
      for (const std::uint64_t most_leaves : {std::uint64_t{5}, std::uint64_t{60}}) {
        expect_all_once(space_of({"NUL", "BIT", "ZE"}, stages, cuts), most_leaves);
        expect_all_once(space_of({"BIT", "LNV1s"}, stages, cuts), most_leaves);
      }
      expect_all_once(space_of({"NUL"}, stages, cuts), 1);
    }
  }
}

TEST(Division, OfThePapersComponentsHasTailsOfFourStages) {
  synth::Space space = synth::Space::paper();
  EXPECT_EQ(Division(space, 8).prefixes(), 1u);
  EXPECT_EQ(Division(space, 8).pipelines(), synth::plan_size(space).leaves);
  space.stages = 6;
  space.cuts = {0, 1, 2, 3, 4, 5, 6};
  const Division division(space, 4);
  EXPECT_EQ(division.longest_prefix(), 2u);
  EXPECT_EQ(division.prefixes(), 1u + 2 * 23 + 3 * 23 * 23);
  EXPECT_EQ(division.pipelines(), synth::plan_size(space).leaves);
  EXPECT_EQ(division.tails().size(), 3u);  // at the root, behind words, behind bytes
  EXPECT_EQ(to_string(division.pipeline(division.prefixes() - 1, 0)).substr(0, 9), "| RLE RLE");
  space.stages = 8;
  space.cuts = {8};
  EXPECT_EQ(Division(space, 8).pipelines(), synth::plan_size(space).leaves);
}

TEST(Division, RefusesListsAndWhatNoRaceEnds) {
  synth::Space space = synth::Space::paper();
  space.only = {1, 2};
  EXPECT_THROW(Division(space, 8), Error);
  space.only.clear();
  space.stages = 8;
  space.cuts = {0, 8};
  for (std::uint8_t n = 1; n <= 64; ++n) {
    const synth::Component component{synth::parse_component("DIM1")->family, n};
    if (std::ranges::find(space.components, component) == space.components.end()) {
      space.components.push_back(component);
    }
  }
  EXPECT_TRUE(tests::contains(tests::message_of([&] { Division(space, 8); }),
                              "use fewer stages or components"));
}

}  // namespace
}  // namespace fpsynth::search
