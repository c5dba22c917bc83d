// Pipelines as types on every team: they encode to the same bytes and decode to the input.

#include "components/static_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "components/registry.hpp"
#include "components/scratch.hpp"
#include "components/teams/serial.hpp"
#include "components/teams/simd/native.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/emulated/hardware.hpp"

namespace fpsynth::components {
namespace {

using testing::Content;

/// The blocks and the scratch that a pipeline needs.
template <class C>
struct Buffers {
  BlockBuffer in{C::kLongest}, front{C::kLongest}, back{C::kLongest}, out{C::kLongest};
  ScratchBuffer scratch{C::kScratchItems};
  typename C::Memory memory() const { return {front.data(), back.data(), scratch.view()}; }
};

template <class C>
struct Encoded {
  std::vector<std::byte> block;
  std::vector<Extent> extents;
  friend bool operator==(const Encoded&, const Encoded&) = default;
};

/// Runs f(team, first) on every lane of a team; `first` is true on one lane.
template <class Team>
struct OneThread {
  template <class F>
  static void run(std::size_t, F f) {
    Team team;
    f(team, true);
  }
};
using Serial = OneThread<teams::SerialTeam>;
struct ThreadBlock {
  template <class F>
  static void run(std::size_t items, F f) {
    teams::EmulatedShape shape;
    shape.lanes = 64;
    shape.shared_bytes = teams::block_team_bytes(items, shape.lanes);
    teams::emulate(shape, [&](teams::EmulatedHardware hardware) {
      teams::BlockTeam<teams::EmulatedHardware> team(hardware, hardware.shared());
      f(team, hardware.lane() == 0);
    });
  }
};

/// Encodes on one team and checks that the result decodes, with the caller's blocks and with those
/// of the pipeline's memory.
template <class C, class On>
Encoded<C> round_trip(const std::vector<std::byte>& chunk) {
  Buffers<C> buffers;
  const auto memory = buffers.memory();
  const std::size_t words = chunk.size() / sizeof(typename C::Word);
  Extent extents[C::kStages];
  std::memcpy(buffers.in.data(), chunk.data(), chunk.size());
  On::run(C::kScratchItems, [&](auto& team, bool first) {
    Extent own[C::kStages];  // one per lane
    C::encode(team, buffers.in.data(), words, buffers.out.data(), own, memory);
    if (first) std::ranges::copy(own, extents);
  });
  using Last = typename C::template WordOf<C::kStages - 1>;
  const std::size_t length = extents[C::kStages - 1].words * sizeof(Last);
  EXPECT_LE(length, C::kWorst);
  Encoded<C> result{{buffers.out.data(), buffers.out.data() + length},
                    {extents, extents + C::kStages}};
  for (const bool own : {false, true}) {
    std::byte* const from = own ? C::input_block(memory) : buffers.in.data();
    std::byte* const to = own ? C::output_block(memory) : buffers.out.data();
    std::memcpy(from, result.block.data(), length);
    On::run(C::kScratchItems, [&](auto& team, bool) {
      EXPECT_TRUE(C::decode(team, from, extents, to, words, memory));
    });
    EXPECT_EQ(std::memcmp(to, chunk.data(), chunk.size()), 0);
  }
  return result;
}

template <class C>
void expect_same_on_all_teams() {
  for (const Content content : {Content::Smooth, Content::LongRuns, Content::Random}) {
    for (const std::size_t words : {1, 63, 1000, 1024}) {
      SCOPED_TRACE(to_string(content) + " " + std::to_string(words));
      const auto chunk = testing::make_block(content, sizeof(typename C::Word), words);
      const auto oracle = round_trip<C, Serial>(chunk);
      EXPECT_TRUE((oracle == round_trip<C, OneThread<teams::NativeTeam>>(chunk)));
      EXPECT_TRUE((oracle == round_trip<C, ThreadBlock>(chunk)));
    }
  }
}

TEST(StaticPipeline, WordsOnly) {
  expect_same_on_all_teams<
      StaticPipeline<std::uint64_t, 4, Use<LnvSub, 6>, Use<Bit>, Use<LnvSub, 1>, Use<Ze>>>();
}
TEST(StaticPipeline, WordsThenBytes) {
  expect_same_on_all_teams<
      StaticPipeline<std::uint32_t, 2, Use<LnvXor, 3>, Use<Rle>, Use<Dim, 8>, Use<Ze>>>();
}
TEST(StaticPipeline, BytesOnly) {
  expect_same_on_all_teams<StaticPipeline<std::uint64_t, 0, Use<Inv>, Use<Rle>>>();
}
TEST(StaticPipeline, IdentityStagesAreLeftOut) {
  using Short = StaticPipeline<std::uint64_t, 1, Use<Ze>>;
  using Long = StaticPipeline<std::uint64_t, 3, Use<Nul>, Use<Nul>, Use<Ze>>;
  expect_same_on_all_teams<Long>();
  const auto chunk = testing::make_block(Content::Sparse, 8, 1024);
  EXPECT_EQ((round_trip<Long, Serial>(chunk).block), (round_trip<Short, Serial>(chunk).block));
}
TEST(StaticPipeline, WorstCases) {
  using C = StaticPipeline<std::uint64_t, 1, Use<Ze>, Use<Rle>>;
  EXPECT_EQ(C::kWorst, (8192 + 128) * 3 / 2u);
  EXPECT_EQ(C::kLongest, C::kWorst);
  EXPECT_EQ(C::kScratchItems, C::kWorst);
  EXPECT_EQ((StaticPipeline<std::uint32_t, 1, Use<Ze>>::kScratchItems), 1024u + 32);
}

}  // namespace
}  // namespace fpsynth::components
