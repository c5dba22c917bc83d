#include "runners/codec/cpu/chunk_coder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runners/codec/format/layout.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/emulated/stages.hpp"

namespace fpsynth::codec {
namespace {

using components::Extent;

Bytes copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(ChunkCoder, DecodesWhatItEncodes) {
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const auto& pipeline : sample_pipelines()) {
      ChunkCoder coder(pipeline, word_bytes);
      for (const std::size_t words : {1, 2, 7, 8, 9, 63, 64, 65, 1000, 1023, 1024}) {
        for (const Bytes& chunk : {signal(words * word_bytes, word_bytes),
                                   noise(words * word_bytes), Bytes(words * word_bytes)}) {
          const auto [block, extents] = coder.encode(chunk);
          ASSERT_EQ(extents.size(), pipeline.stages.size());
          EXPECT_EQ(
              check_extents(synth::PipelineStages(pipeline, word_bytes), words, extents.data()),
              kGoodFrame);
          const auto decoded = coder.decode(block, extents, words);
          ASSERT_TRUE(decoded) << synth::to_string(pipeline) << ", " << words << " words";
          EXPECT_TRUE(std::ranges::equal(*decoded, chunk))
              << synth::to_string(pipeline) << ", " << words << " words";
        }
      }
    }
  }
}

TEST(ChunkCoder, RunsChunksOfOtherLengths) {
  const auto pipeline = synth::parse_pipeline("LNV2s RLE | BIT RLE");
  for (const std::size_t chunk_words : {1, 3, 5000, 65536}) {
    ChunkCoder coder(pipeline, 8, chunk_words);
    const Bytes chunk = noise(chunk_words * 8);
    const auto [block, extents] = coder.encode(chunk);
    const Bytes copy(block.begin(), block.end());
    const auto decoded = coder.decode(block, extents, chunk_words);
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(std::ranges::equal(*decoded, chunk));
    EXPECT_THROW(coder.encode(Bytes(chunk_words * 8 + 8)), Error);

    const components::BlockBuffer place(chunk.size());
    std::ranges::copy(chunk, place.data());
    const auto in_place = coder.encode_in_place({place.data(), chunk.size()});
    EXPECT_TRUE(std::ranges::equal(in_place.block, copy));
    EXPECT_TRUE(std::ranges::equal(std::span(place.data(), chunk.size()), chunk));
    EXPECT_THROW(coder.encode_in_place({place.data(), 0}), Error);
  }
}

TEST(ChunkCoder, AllTablesWriteTheSameBytes) {
  std::vector<const components::StageTable*> tables(components::simd_stages().begin(),
                                                    components::simd_stages().end());
  tables.push_back(components::emulated_stages()[1]);
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    const Bytes chunk = signal(1000 * word_bytes, word_bytes);
    for (const auto& pipeline : sample_pipelines()) {
      ChunkCoder serial(pipeline, word_bytes, 1024, components::serial_stages());
      const auto [block, extents] = serial.encode(chunk);
      for (const auto* table : tables) {
        ChunkCoder coder(pipeline, word_bytes, 1024, *table);
        const auto encoded = coder.encode(chunk);
        EXPECT_TRUE(std::ranges::equal(encoded.block, block) &&
                    std::ranges::equal(encoded.extents, extents))
            << table->name() << ": " << synth::to_string(pipeline);
        const auto decoded = coder.decode(block, extents, 1000);
        EXPECT_TRUE(decoded && std::ranges::equal(*decoded, chunk))
            << table->name() << ": " << synth::to_string(pipeline);
      }
    }
  }
}

TEST(ChunkCoder, RefusesChunksThatAreNotWholeWords) {
  ChunkCoder coder(synth::parse_pipeline("ZE"), 8);
  EXPECT_THROW(coder.encode({}), Error);
  EXPECT_THROW(coder.encode(Bytes(7)), Error);
  EXPECT_THROW(coder.encode(Bytes(8200)), Error);
  EXPECT_THROW(ChunkCoder({}, 8), Error);
  auto pipeline = synth::parse_pipeline("ZE");
  pipeline.cut = 2;
  EXPECT_THROW(ChunkCoder(pipeline, 8), Error);
}

TEST(ChunkCoder, ForgedLengthsAreFailuresOrDecodeToSomething) {
  std::mt19937 random(7);
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const auto& pipeline : sample_pipelines()) {
      ChunkCoder coder(pipeline, word_bytes);
      const Bytes chunk = signal(300 * word_bytes, word_bytes);
      const auto encoded = coder.encode(chunk);
      const Bytes block = copy(encoded.block);
      const std::vector<Extent> good(encoded.extents.begin(), encoded.extents.end());
      const std::size_t last = pipeline.stage_word_bytes(good.size() - 1, word_bytes);
      for (int attempt = 0; attempt < 400; ++attempt) {
        std::vector<Extent> forged = good;
        Extent& extent = forged[random() % forged.size()];
        std::uint32_t& field = random() % 2 ? extent.words : extent.values;
        field = random() % 2 ? static_cast<std::uint32_t>(random())
                             : field + static_cast<std::uint32_t>(random() % 9) - 4;
        Bytes stretched = block;
        const std::size_t size = std::size_t{forged.back().words} * last;
        if (size < 1u << 20) stretched.resize(size, std::byte{0x55});
        const std::size_t words = random() % 4 ? 300 : random() % 1200;
        if (const auto decoded = coder.decode(stretched, forged, words)) {
          EXPECT_EQ(decoded->size(), words * word_bytes);
        }
      }
      EXPECT_FALSE(coder.decode(block, std::span(good).first(good.size() - 1), 300));
      EXPECT_FALSE(coder.decode(std::span(block).first(block.size() - 1), good, 300));
      EXPECT_FALSE(coder.decode(block, good, 0));
      EXPECT_FALSE(coder.decode(block, good, 1025));
    }
  }
}

TEST(ChunkCoder, ForgedBlocksNeverHarm) {
  std::mt19937 random(11);
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const auto& pipeline : sample_pipelines()) {
      ChunkCoder coder(pipeline, word_bytes);
      const Bytes chunk = signal(200 * word_bytes, word_bytes);
      const auto encoded = coder.encode(chunk);
      const Bytes block = copy(encoded.block);
      const std::vector<Extent> extents(encoded.extents.begin(), encoded.extents.end());
      for (int attempt = 0; attempt < 400; ++attempt) {
        Bytes forged = block;
        for (unsigned i = 0; i <= random() % 4; ++i) {
          forged[random() % forged.size()] = static_cast<std::byte>(random());
        }
        if (const auto decoded = coder.decode(forged, extents, 200)) {
          EXPECT_EQ(decoded->size(), chunk.size());
        }
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::codec
