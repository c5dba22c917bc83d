#include "runners/search/equal_states.hpp"

#include <cstring>

#include "runners/search/walker.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {
namespace {

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
  for (const std::size_t word_bytes : {4, 8}) {
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
