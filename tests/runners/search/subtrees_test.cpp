#include "runners/search/subtrees.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "runners/search/walker.hpp"
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

using testing::Content;

std::span<const std::byte> as_bytes(const char* text) {
  return std::as_bytes(std::span(text, std::strlen(text)));
}

/// An inner node at a depth, the `skip`-th that works on bytes or on words.
std::size_t inner_node(const synth::Plan& plan, unsigned depth, bool on_bytes, std::size_t skip) {
  const auto nodes = plan.nodes();
  for (std::size_t n = 1; n + 1 < nodes.size(); ++n) {
    const bool inner = nodes[n + 1].depth == nodes[n].depth + 1;
    if (nodes[n].depth == depth && nodes[n].edge.on_bytes == on_bytes && inner && skip-- == 0) {
      return n;
    }
  }
  throw std::logic_error("no such node");
}

TEST(EqualStates, OfEqualSubtreesAndBlocksTheFirstIsFound) {
  const synth::Plan& plan = paper_plan();
  const Subtrees subtrees(plan);
  EqualStates states(subtrees);
  const std::size_t first = inner_node(plan, 2, true, 0), second = inner_node(plan, 2, true, 7);
  const std::size_t on_words = inner_node(plan, 2, false, 0);
  states.begin_chunk();
  EXPECT_EQ(states.first_equal(first, as_bytes("block")), first);
  EXPECT_EQ(states.first_equal(second, as_bytes("block")), first);
  EXPECT_EQ(states.first_equal(second, as_bytes("blocks")), second);
  // Equal blocks with other successors.
  EXPECT_EQ(states.first_equal(on_words, as_bytes("block")), on_words);
  EXPECT_EQ(states.first_equal(inner_node(plan, 1, true, 0), as_bytes("block")),
            inner_node(plan, 1, true, 0));
  states.begin_chunk();
  EXPECT_EQ(states.first_equal(second, as_bytes("block")), second);
}

/// Walks with and without merging count the same, for every kind of chunk.
TEST(EqualStates, DoNotChangeWhatIsCounted) {
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  const synth::Plan plan(space);
  const Subtrees subtrees(plan);
  for (const std::size_t word_bytes : {2, 4, 8}) {
    Walker merged(plan, word_bytes, Mode::Count, components::default_stages(), &subtrees);
    Walker separate(plan, word_bytes, Mode::Count, components::default_stages());
    Walker verified(plan, word_bytes, Mode::Verify, components::default_stages());
    for (const Content content : testing::kContents) {
      for (const std::size_t words : {1, 65, 1024}) {
        const auto chunk = testing::make_block(content, word_bytes, words);
        merged.walk(chunk);
        separate.walk(chunk);
        verified.walk(chunk);
        const auto where = to_string(content) + ", " + std::to_string(words) + " words of " +
                           std::to_string(word_bytes);
        ASSERT_TRUE(std::ranges::equal(merged.block_bytes(), verified.block_bytes())) << where;
        ASSERT_TRUE(std::ranges::equal(separate.block_bytes(), verified.block_bytes())) << where;
      }
    }
    EXPECT_GT(merged.merged_states(), 0u);
    EXPECT_EQ(separate.merged_states(), 0u);
  }
}

TEST(EqualStates, AreCountedInTheDocument) {
  SearchOptions options;
  options.verification = Verification::parse("none");
  const auto input = several_chunks(synth::Precision::Double);
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {3};
  const synth::Plan plan(space);
  const auto merged = search(input, plan, options);
  options.merge_equal = false;
  const auto separate = search(input, plan, options);
  EXPECT_EQ(merged.payload_bytes, separate.payload_bytes);
  EXPECT_GT(merged.run.merged_states, 0u);
  EXPECT_EQ(separate.run.merged_states, 0u);
  options.merge_equal = true;
  options.verification = {};
  EXPECT_EQ(search(input, plan, options).run.merged_states, 0u);
}

}  // namespace
}  // namespace fpsynth::search
