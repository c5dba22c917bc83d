#include "results/documents/chunk_ranges.hpp"

#include <gtest/gtest.h>

#include "synth/common/error.hpp"

namespace fpsynth::results {
namespace {

using Ranges = std::vector<ChunkRange>;

TEST(ChunkRanges, AreSortedAndJoined) {
  EXPECT_EQ(normalized({{8, 12}, {0, 4}, {4, 6}, {20, 21}}), (Ranges{{0, 6}, {8, 12}, {20, 21}}));
  EXPECT_EQ(normalized({{3, 3}, {1, 2}}), (Ranges{{1, 2}}));
  EXPECT_EQ(normalized({}), Ranges());
}

TEST(ChunkRanges, OverlapsAndReversedOnesAreRefused) {
  EXPECT_THROW(normalized({{0, 5}, {4, 6}}), Error);
  EXPECT_THROW(normalized({{0, 5}, {0, 5}}), Error);
  EXPECT_THROW(normalized({{0, 9}, {3, 4}}), Error);
  EXPECT_THROW(normalized({{5, 4}}), Error);
}

TEST(ChunkRanges, CountsChunksInAPart) {
  const Ranges ranges = {{0, 6}, {8, 12}};
  EXPECT_EQ(chunks_in(ranges), 10u);
  EXPECT_EQ(chunks_in(ranges, {4, 9}), 3u);
  EXPECT_EQ(chunks_in(ranges, {6, 8}), 0u);
  EXPECT_EQ(chunks_in(ranges, {9, 10}), 1u);
  EXPECT_EQ(chunks_in(ranges, {12, 20}), 0u);
  EXPECT_EQ(chunks_in({}), 0u);
}

TEST(ChunkRanges, FindsWhatAPartLacks) {
  const Ranges ranges = {{2, 6}, {8, 12}};
  EXPECT_EQ(missing_in(ranges, {0, 20}), (Ranges{{0, 2}, {6, 8}, {12, 20}}));
  EXPECT_EQ(missing_in(ranges, {3, 5}), Ranges());
  EXPECT_EQ(missing_in(ranges, {4, 9}), (Ranges{{6, 8}}));
  EXPECT_EQ(missing_in(ranges, {6, 8}), (Ranges{{6, 8}}));
  EXPECT_EQ(missing_in(ranges, {14, 16}), (Ranges{{14, 16}}));
  EXPECT_EQ(missing_in(ranges, {0, 1}), (Ranges{{0, 1}}));
  EXPECT_EQ(missing_in({}, {0, 3}), (Ranges{{0, 3}}));
  EXPECT_EQ(missing_in({}, {3, 3}), Ranges());
}

TEST(ChunkRanges, PartAndWhatItLacksAreThePart) {
  const Ranges ranges = {{1, 3}, {4, 7}, {9, 10}};
  for (std::uint64_t begin = 0; begin < 12; ++begin) {
    for (std::uint64_t end = begin; end < 12; ++end) {
      const Ranges missing = missing_in(ranges, {begin, end});
      EXPECT_EQ(chunks_in(missing) + chunks_in(ranges, {begin, end}), end - begin);
      EXPECT_EQ(chunks_in(missing, {begin, end}), chunks_in(missing));
      EXPECT_EQ(normalized(missing), missing);
    }
  }
}

TEST(ChunkRanges, Text) {
  const Ranges ranges = {{0, 8}, {16, 24}};
  EXPECT_EQ(to_string(ranges), "[0, 8), [16, 24)");
  EXPECT_EQ(to_string(Ranges()), "none");
}

}  // namespace
}  // namespace fpsynth::results
