#include "runners/search/subtrees.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

/// The nodes of a plan by their stages, as in "LNV1s LNV2s" or, after the cut, "LNV1s | DIM2".
std::map<std::string, std::size_t> by_stages(const synth::Plan& plan) {
  std::map<std::string, std::size_t> nodes;
  std::vector<std::string> path{""};
  for (std::size_t n = 1; n < plan.nodes().size(); ++n) {
    const synth::PlanNode& node = plan.nodes()[n];
    path.resize(node.depth);
    std::string text = path.back();
    const bool cut = node.edge.on_bytes && text.find('|') == std::string::npos;
    text += (text.empty() ? "" : " ") + std::string(cut ? "| " : "") +
            synth::to_string(node.edge.component);
    path.push_back(text);
    nodes[text] = n;
  }
  return nodes;
}

TEST(Subtrees, HaveTheirNodesAndLeaves) {
  const synth::Plan& plan = small_plan();
  const Subtrees subtrees(plan);
  EXPECT_EQ(subtrees.end(0), plan.nodes().size());
  EXPECT_EQ(subtrees.leaf_count(0), plan.leaves().size());
  const std::size_t last = plan.nodes().size() - 1;
  EXPECT_EQ(subtrees.end(last), last + 1);
  EXPECT_EQ(subtrees.leaf_count(last), plan.nodes()[last].leaf_count);
  const std::vector<std::size_t> ends = subtree_ends(plan);
  ASSERT_EQ(ends.size(), plan.nodes().size());
  for (std::size_t n = 0; n < ends.size(); ++n) EXPECT_EQ(ends[n], subtrees.end(n)) << n;
}

TEST(Subtrees, StagesThatCommuteAreFoundInTheirFirstOrder) {
  const synth::Plan& plan = paper_plan();
  const Subtrees subtrees(plan);
  const auto nodes = by_stages(plan);
  const auto expect_same = [&](const std::string& stages, const std::string& as) {
    EXPECT_EQ(subtrees.same_by_commuting(nodes.at(stages)), nodes.at(as)) << stages;
  };
  expect_same("LNV2s LNV1s", "LNV1s LNV2s");
  expect_same("LNV3x LNV5x LNV1x", "LNV1x LNV3x LNV5x");
  expect_same("DIM4 INV", "INV DIM4");
  expect_same("BIT | DIM4 INV", "BIT | INV DIM4");
  expect_same("BIT INV | DIM4", "INV BIT | DIM4");
  // Already in order, of families that do not commute, or on words of two sizes.
  for (const char* stages : {"LNV1s LNV2s", "LNV2s LNV1x", "LNV2x LNV1s", "DIM4 DIM2", "LNV1s INV",
                             "ZE INV", "RLE LNV1s", "LNV2s | LNV1s", "DIM4 | INV"}) {
    expect_same(stages, stages);
  }
}

/// Spaces may have other stages behind one order than behind another one.
TEST(Subtrees, OfOtherShapesAreNotTheSame) {
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  const synth::Plan plan(space);
  const Subtrees subtrees(plan);
  for (std::size_t n = 0; n < plan.nodes().size(); ++n) {
    const std::size_t same = subtrees.same_by_commuting(n);
    ASSERT_LE(same, n);
    ASSERT_EQ(subtrees.shape(same), subtrees.shape(n));
    ASSERT_EQ(plan.nodes()[same].depth, plan.nodes()[n].depth);
  }
}

}  // namespace
}  // namespace fpsynth::search
