#include "synth/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "synth/plan.hpp"

namespace fpsynth::synth {
namespace {

Component component(const char* name) { return parse_component(name).value(); }

TEST(Space, ThePapersHas138240Pipelines) {
  const Space space = Space::paper();
  EXPECT_EQ(space.size(), 138240u);
  // Ids are frozen. This is their formula with explicit indices.
  const auto id = [](std::uint64_t cut, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                     std::uint64_t f) { return (((cut * 24 + a) * 24 + b) * 24 + c) * 2 + f; };
  EXPECT_EQ(space.id_of(parse_pipeline("LNV2s LNV2s LNV2x | ZE")), id(3, 11, 11, 17, 0));
  EXPECT_EQ(space.id_of(parse_pipeline("| DIM8 NUL NUL RLE")), id(0, 7, 0, 0, 1));
  EXPECT_EQ(space.id_of(parse_pipeline("LNV6s BIT LNV1s ZE")), id(4, 14, 2, 10, 0));
  EXPECT_EQ(space.id_of(parse_pipeline("RLE ZE LNV8x RLE")), id(4, 23, 22, 21, 1));
  EXPECT_EQ(space.at(0), parse_pipeline("| NUL NUL NUL ZE"));
  EXPECT_EQ(space.at(138239), parse_pipeline("RLE RLE RLE RLE"));
}

TEST(Space, IdsAndPipelinesAreOneToOne) {
  const Space space = Space::paper();
  for (std::uint64_t id = 0; id < space.size(); ++id) {
    ASSERT_EQ(space.id_of(space.at(id)), id);
    ASSERT_EQ(space.id_of(parse_pipeline(to_string(space.at(id)))), id);
  }
  EXPECT_EQ(space.id_of(parse_pipeline("LNV4s BIT LNV1s ZE")), std::nullopt);
  EXPECT_EQ(space.id_of(parse_pipeline("LNV1s ZE")), std::nullopt);
}

TEST(Space, OtherSpacesAreValues) {
  const Space space{{component("LNV33s"), component("BIT")}, {component("RLE")}, {0, 5}, 5};
  space.validate();
  EXPECT_EQ(space.size(), 2u * 16 * 1);
  for (std::uint64_t id = 0; id < space.size(); ++id) EXPECT_EQ(space.id_of(space.at(id)), id);
  EXPECT_EQ(space.at(31), parse_pipeline("BIT BIT BIT BIT RLE"));

  auto invalid = [&](auto change) {
    Space wrong = space;
    change(wrong);
    EXPECT_THROW(wrong.validate(), Error);
  };
  invalid([](Space& s) { s.stages = 9; });
  invalid([](Space& s) { s.stages = 0; });
  invalid([](Space& s) { s.cuts = {6}; });
  invalid([](Space& s) { s.cuts = {3, 2}; });
  invalid([](Space& s) { s.cuts = {}; });
  invalid([](Space& s) { s.last = {component("BIT")}; });
  invalid([](Space& s) { s.components.push_back(s.components[0]); });
  invalid([](Space& s) { s.chunk_words = 1000; });
  invalid([](Space& s) { s.chunk_words = 8192; });
}

TEST(Space, ChunkLengthsAreToldApart) {
  Space space = Space::paper();
  EXPECT_EQ(space.describe(), "4 stages, 24 components, 2 last, cuts 0 1 2 3 4: 138240 pipelines");
  space.chunk_words = 2048;
  space.validate();
  EXPECT_NE(space, Space::paper());
  EXPECT_EQ(space.describe(),
            "4 stages, 24 components, 2 last, cuts 0 1 2 3 4, chunks of 2048 words: 138240 "
            "pipelines");
  EXPECT_EQ(space.at(4711), Space::paper().at(4711));
}

TEST(Space, CountsPreludesFirst) {
  Space space = Space::paper();
  EXPECT_FALSE(space.has_preludes());
  EXPECT_EQ(to_string(space.method_at(138239)), "RLE RLE RLE RLE");
  space.preludes = {{}, parse_prelude("LAGx:18200"), parse_prelude("DICT LAGs:2401")};
  space.validate();
  EXPECT_TRUE(space.has_preludes());
  EXPECT_EQ(space.pipelines(), 138240u);
  EXPECT_EQ(space.size(), 3u * 138240);
  EXPECT_EQ(to_string(space.method_at(0)), "| NUL NUL NUL ZE");
  EXPECT_EQ(to_string(space.method_at(138240)), "LAGx:18200 / | NUL NUL NUL ZE");
  EXPECT_EQ(to_string(space.method_at(3 * 138240 - 1)), "DICT LAGs:2401 / RLE RLE RLE RLE");
  for (std::uint64_t id = 0; id < space.size(); id += 997) {
    ASSERT_EQ(space.id_of(space.method_at(id)), id);
    ASSERT_EQ(space.at(id), space.method_at(id).pipeline);
    ASSERT_EQ(space.id_of(space.at(id)), id % 138240);
  }
  EXPECT_EQ(space.id_of(parse_method("LAGx:18201 / LNV1s BIT ZE RLE")), std::nullopt);
  EXPECT_EQ(space.without_preludes(), Space::paper());
  EXPECT_EQ(space.describe(),
            Space::paper().describe() + ", alone and behind LAGx:18200, DICT LAGs:2401");
  EXPECT_EQ(Plan(space).leaf_of_id().size(), 138240u);

  space.preludes = {parse_prelude("ORD"), {}};
  EXPECT_THROW(space.validate(), Error);  // pipelines alone keep their ids
  space.preludes = {};
  EXPECT_THROW(space.validate(), Error);
  space.preludes = {{}, parse_prelude("ORD"), parse_prelude("ORD")};
  EXPECT_THROW(space.validate(), Error);
}

TEST(Space, AListHasPositionsAsIds) {
  Space space = Space::paper();
  space.only = {17, 4711, 138239};
  space.validate();
  EXPECT_EQ(space.size(), 3u);
  for (std::uint64_t id = 0; id < 3; ++id) {
    EXPECT_EQ(space.at(id), Space::paper().at(space.only[id]));
    EXPECT_EQ(space.id_of(space.at(id)), id);
  }
  EXPECT_EQ(space.id_of(Space::paper().at(18)), std::nullopt);
  EXPECT_EQ(space.describe(), Space::paper().describe() + "; 3 of them");
  EXPECT_EQ(space.whole(), Space::paper());
  EXPECT_EQ(space.shorter(), Space::paper().shorter());

  space.preludes = {{}, parse_prelude("ORD")};
  EXPECT_EQ(space.size(), 6u);
  EXPECT_EQ(to_string(space.method_at(5)), "ORD / RLE RLE RLE RLE");
  EXPECT_EQ(space.id_of(space.method_at(4)), 4u);

  space.only = {17, 17};
  EXPECT_THROW(space.validate(), Error);
  space.only = {18, 17};
  EXPECT_THROW(space.validate(), Error);
  space.only = {138240};
  EXPECT_THROW(space.validate(), Error);
}

TEST(Space, ShorterHasOneStageLess) {
  Space space = Space::paper();
  space.cuts = {0, 2, 3, 4};
  space = space.shorter();
  EXPECT_EQ(space.stages, 3u);
  EXPECT_EQ(space.cuts, (std::vector<unsigned>{0, 2, 3}));
  space.validate();
}

TEST(Plan, SharesThePrefixesOfThePaper) {
  const Plan plan(Space::paper());
  // With the 23 components that are not NUL, there are 1 + 2*23 + 3*23^2 + 4*23^3 prefixes. A last
  // stage on bytes follows each; one on words also follows those without stages on bytes.
  EXPECT_EQ(plan.nodes().size(), 1u + 46 + 1587 + 48668);
  EXPECT_EQ(plan.leaves().size(), 2u * 50302 + 2u * (1 + 23 + 529 + 12167));
}

/// Expects that the path to the leaf of every id has the stages of its pipeline, and no other
/// leaves.
void expect_paths(const Plan& plan) {
  const Space& space = plan.space();
  // The stages on the path to every leaf, from the preorder of the nodes.
  std::vector<std::vector<PlanEdge>> paths(plan.leaves().size());
  std::vector<PlanEdge> path;
  for (const PlanNode& node : plan.nodes()) {
    ASSERT_LE(node.depth, path.size() + 1);
    if (node.depth > 0) path.resize(node.depth - 1u), path.push_back(node.edge);
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      paths[leaf] = path;
      paths[leaf].push_back(plan.leaves()[leaf]);
    }
  }
  std::set<std::uint32_t> used;
  for (std::uint64_t id = 0; id < space.size(); ++id) {
    const Pipeline pipeline = space.at(id);
    std::vector<std::pair<Component, bool>> expected, found;
    for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
      if (family(pipeline.stages[stage].family).identity) continue;
      expected.push_back({pipeline.stages[stage], stage >= pipeline.cut});
    }
    for (const PlanEdge& edge : paths[plan.leaf_of_id()[id]]) {
      found.push_back({edge.component, edge.on_bytes});
    }
    ASSERT_EQ(found, expected) << to_string(pipeline);
    used.insert(plan.leaf_of_id()[id]);
  }
  EXPECT_EQ(used.size(), plan.leaves().size());
}

TEST(Plan, EveryIdHasTheLeafOfItsStages) { expect_paths(Plan(Space::paper())); }

TEST(Plan, OfAListHasItsStagesOnly) {
  Space space = Space::paper();
  space.only.resize(138240);
  std::iota(space.only.begin(), space.only.end(), 0u);
  const Plan all(space), paper(Space::paper());
  EXPECT_EQ(all.nodes().size(), paper.nodes().size());
  EXPECT_TRUE(std::ranges::equal(all.leaf_of_id(), paper.leaf_of_id()));

  space.only = {*space.whole().id_of(parse_pipeline("NUL | LNV1s BIT ZE")),
                *space.whole().id_of(parse_pipeline("| NUL LNV1s BIT ZE")),
                *space.whole().id_of(parse_pipeline("NUL LNV1s BIT | ZE")),
                *space.whole().id_of(parse_pipeline("LNV1s BIT RLE ZE"))};
  std::ranges::sort(space.only);
  const Plan plan(space);
  expect_paths(plan);
  EXPECT_EQ(plan.leaves().size(), 3u);  // the first two are equal
  EXPECT_EQ(plan.nodes().size(), 1u + 2 + 2 + 1);
  EXPECT_EQ(plan_size(space).nodes, plan.nodes().size());
  EXPECT_EQ(plan_size(space).leaves, plan.leaves().size());
  EXPECT_EQ(plan.input_words(), kChunkWords);
  EXPECT_EQ(Plan(space, 1100).input_words(), 1100u);

  // Lists of spaces that are too large for a search can be searched.
  space = Space::paper();
  space.stages = 8;
  space.cuts = {0, 8};
  space.only = {0, 10'000'000'000, space.size() - 1};
  expect_paths(Plan(space));
}

TEST(Plan, ItsSizeIsKnownWithoutIt) {
  const auto components = [](std::initializer_list<const char*> names) {
    std::vector<Component> list;
    for (const char* name : names) list.push_back(*parse_component(name));
    return list;
  };
  const std::vector<Component> choices[] = {components({"NUL"}), components({"BIT"}),
                                            components({"NUL", "BIT", "INV"}),
                                            components({"BIT", "INV", "LNV1s"})};
  for (const auto& chosen : choices) {
    for (unsigned stages = 1; stages <= 5; ++stages) {
      for (unsigned cuts = 1; cuts < 2u << stages; ++cuts) {
        Space space{
            .components = chosen, .last = components({"ZE", "RLE"}), .cuts = {}, .stages = stages};
        for (unsigned cut = 0; cut <= stages; ++cut) {
          if (cuts >> cut & 1) space.cuts.push_back(cut);
        }
        const Plan plan(space);
        const PlanSize size = plan_size(space);
        ASSERT_EQ(size.nodes, plan.nodes().size()) << space.describe();
        ASSERT_EQ(size.leaves, plan.leaves().size()) << space.describe();
        ASSERT_EQ(size.edges(), plan.edges()) << space.describe();
      }
    }
  }
  EXPECT_EQ(plan_size(Space::paper()).edges(), 176'345u);
}

TEST(Plan, RejectsSpacesThatNoSearchCanHold) {
  Space space = Space::paper();
  space.stages = 8;
  space.cuts = {8};
  EXPECT_GT(space.size(), Plan::kMostPipelines);
  EXPECT_THROW(Plan{space}, Error);
  // As many ids as are allowed, and too many distinct pipelines: refused before they are made.
  space = Space::paper();
  space.components.clear();
  for (std::uint8_t n = 1; n <= 48; ++n) {
    space.components.push_back({parse_component("DIM1")->family, n});
  }
  space.stages = 5;
  space.cuts = {0, 2, 5};
  EXPECT_LE(space.size(), Plan::kMostPipelines);
  EXPECT_GT(plan_size(space).leaves, Plan::kMostLeaves);
  EXPECT_THROW(Plan{space}, Error);
}

}  // namespace
}  // namespace fpsynth::synth
