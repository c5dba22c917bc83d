#include "runners/repack/chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fpsynth::repack {
namespace {

TEST(SuggestedChunk, HasAtMostOneMebibyteAndWholeFastDimensions) {
  EXPECT_EQ(suggested_chunk({1000}, 8), Extents({1000}));
  EXPECT_EQ(suggested_chunk({100, 20, 30}, 4), Extents({100, 20, 30}));
  // 218 rows of 4,800 bytes fit; five chunks of 200 rows are as equal as they can be.
  EXPECT_EQ(suggested_chunk({1000, 20, 30}, 8), Extents({200, 20, 30}));
  EXPECT_EQ(suggested_chunk({10, 20000, 2000}, 8), Extents({1, 65, 2000}));
  EXPECT_EQ(suggested_chunk({3, 1000000}, 8), Extents({1, 125000}));
}

TEST(ChunkFor, KeepsChunksOfAReasonableSize) {
  data::StoredDataset dataset;
  dataset.word_bytes = 8;
  dataset.extents = {1000, 20, 30};
  EXPECT_EQ(chunk_for(dataset), Extents({200, 20, 30}));
  dataset.chunk = {7, 20, 30};
  EXPECT_EQ(chunk_for(dataset), dataset.chunk);
  dataset.chunk = {1, 20, 30};  // of 4,800 bytes
  EXPECT_EQ(chunk_for(dataset), Extents({200, 20, 30}));
  dataset.chunk = {20000, 20, 30};
  EXPECT_EQ(chunk_for(dataset), Extents({200, 20, 30}));
  dataset.extents = {1, 20, 30};  // no larger than its small chunk
  dataset.chunk = {1, 20, 30};
  EXPECT_EQ(chunk_for(dataset), dataset.chunk);
}

TEST(ForBlocks, CoversEachValueOnceWithWholeChunks) {
  const Extents extents = {9, 10, 7}, chunk = {2, 3, 4};
  for (const Extents& other : {Extents(), Extents{1, 10, 1}, Extents{5, 5, 5}}) {
    for (const std::uint64_t most : {1, 24, 60, 200, 10000}) {
      std::vector<int> seen(volume(extents));
      for_blocks(extents, chunk, other, most, [&](const Extents& origin, const Extents& block) {
        EXPECT_LE(volume(block), std::max<std::uint64_t>(most, volume(chunk)));
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_EQ(origin[i] % chunk[i], 0u);
          EXPECT_EQ(block[i] % chunk[i], 0u);
        }
        for (std::uint64_t value = 0; value < volume(block); ++value) {
          const std::uint64_t at[3] = {origin[0] + value / (block[1] * block[2]),
                                       origin[1] + value / block[2] % block[1],
                                       origin[2] + value % block[2]};
          if (at[0] < extents[0] && at[1] < extents[1] && at[2] < extents[2]) {
            ++seen[(at[0] * extents[1] + at[1]) * extents[2] + at[2]];
          }
        }
      });
      EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << "blocks of " << most;
    }
  }
}

TEST(Origin, CountsTheFastestDimensionFirst) {
  EXPECT_EQ(chunks_of({5, 7}, {2, 3}), 9u);
  EXPECT_EQ(origin_of(0, {5, 7}, {2, 3}), Extents({0, 0}));
  EXPECT_EQ(origin_of(4, {5, 7}, {2, 3}), Extents({2, 3}));
  EXPECT_EQ(origin_of(8, {5, 7}, {2, 3}), Extents({4, 6}));
}

}  // namespace
}  // namespace fpsynth::repack
