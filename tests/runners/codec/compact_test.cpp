// The compact form of small files.

#include "runners/codec/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runners/codec/codec.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::codec {
namespace {

using tests::contains;

/// Doubles, some of them with two decimals and a few that are none, with repetitions.
Bytes decimals(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::round(100 * std::sin(double(i % 150) / 20) * 7) / 100;
    values.push_back(i % 97 == 5 ? value / 3 : value);
  }
  return bytes_of_words(values);
}

void expect_same(const Bytes& file, const Bytes& original) {
  const Bytes compact = compacted(file);
  ASSERT_TRUE(is_compact(compact)) << file.size();
  EXPECT_LT(compact.size(), file.size());
  EXPECT_EQ(expanded(compact, "x").file, file);
  EXPECT_EQ(expanded(compact, "x").original, original);
  EXPECT_EQ(decompress(compact), original);
  Bytes into(original.size());
  decompress_into(compact, into);
  EXPECT_EQ(into, original);
  MemorySink sink;
  EXPECT_EQ(decompress(compact, "x", sink), original.size());
  EXPECT_EQ(sink.bytes(), original);
  EXPECT_EQ(original_bytes(compact, "x"), original.size());
  const Inspection found = inspect(compact, "x"), whole = inspect(file, "x");
  EXPECT_EQ(found.version, whole.header.word_bytes < 4 ? 8 : 6);
  EXPECT_EQ(found.method(), whole.method());
  EXPECT_EQ(found.header_bytes + found.tail_bytes, found.overhead_bytes());
  EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), compact.size());
  EXPECT_NO_THROW(check_beginning(
      std::span(compact).first(std::min<std::size_t>(compact.size(), Input::kChecked)), "x"));
}

TEST(Compact, EveryPipelineAndLengthIsRestored) {
  for (const synth::Pipeline& pipeline : sample_pipelines()) {
    for (const std::size_t word_bytes : {8u, 4u, 2u, 1u}) {
      for (const std::size_t size : {0u, 3u, 8u, 8192u, 70003u}) {
        if (size > 8192 && pipeline.stages.size() > 4) continue;
        CodecOptions options;
        options.chunk_words = size % 2 == 0 ? 1024 : 999;
        const Bytes original = signal(size, word_bytes);
        expect_same(compress(original, pipeline, word_bytes, options), original);
      }
    }
  }
}

TEST(Compact, EveryStepIsRestoredWithItsSideData) {
  for (const char* prelude :
       {"LAGs:281474976710656", "LAGx:3 ORD", "DIM:7 LAGs:5", "DICT", "DICT DICT LAGs:3", "DEC:2",
        "RAT:128:100:300", "DEC:2 LPC:256", "RAT:512:10 GCD:128",
        "MATCH DEC:2 LAGs:2 GCD:256 DIM:3", "REV:2 LAGs:2"}) {
    const synth::Method method = synth::parse_method(prelude + std::string(" / LNV1s BIT | ZE"));
    for (const std::size_t word_bytes : {8u, 4u, 2u, 1u}) {
      if (!synth::defect(method.prelude, word_bytes).empty()) continue;
      for (const std::size_t tail : {0u, 3u}) {
        Bytes original = decimals(3000);
        original.resize(original.size() - 8 + tail);
        expect_same(compress(original, method, word_bytes), original);
      }
    }
  }
}

TEST(Compact, SectionsAndDescriptionsAreRestored) {
  const Bytes original = decimals(3000);
  const std::vector<Section> sections = {{1500, synth::parse_method("LNV1s BIT | ZE"), 1024},
                                         {1, synth::parse_method("RLE"), 1024},
                                         {1499, synth::parse_method("DEC:2 LAGs:3 / | ZE"), 2048}};
  const Bytes file = compress_sections(original, sections, 8);
  expect_same(file, original);
  // A section costs a few bytes beside what its method says.
  EXPECT_LT(inspect(compacted(file), "x").header_bytes,
            inspect(compacted(compress(original, sections[2].method, 8)), "x").header_bytes + 24);
  Description description;
  description.shape = {3000};
  Bytes described = front_of(description, 8);
  const Bytes compact = compacted(file);
  described.insert(described.end(), compact.begin(), compact.end());
  EXPECT_EQ(decompress(described), original);
  EXPECT_EQ(inspect(described, "x").version, 4);
}

TEST(Compact, SpendsSixteenBytesAroundTheBlocksOf8KB) {
  for (const char* text : {"LNV1s BIT | ZE", "DEC:2 LAGs:60 / LNV1s BIT LNV1s ZE",
                           "DIM:60 LAGs:1 / LNV6s BIT ZE", "LAGs:60 / DIM2 BINS"}) {
    CodecOptions options;
    options.chunk_words = 1024;
    const Bytes original = signal(8192, 8);
    const Bytes file = compress(original, synth::parse_method(text), 8, options);
    const Inspection whole = inspect(file, "x");
    const std::uint64_t side = whole.prelude.bytes - whole.prelude.header_bytes;
    EXPECT_LE(compacted(file).size(), 16 + whole.blocks_bytes + side) << text;
  }
}

TEST(Compact, LargeFilesHaveNone) {
  const Bytes original(kMostCompact + 1);
  const Bytes file = compress(original, synth::parse_method("| RLE"), 8);
  EXPECT_EQ(compacted(file), file);
}

/// Every byte of the worked example in FORMAT.md.
TEST(Compact, BytesAreThoseOfTheFormat) {
  const std::vector<double> values = {1, 2, 2, 2, 2};
  Bytes original = bytes_of_words(values);
  for (const char c : {'e', 'n', 'd'}) original.push_back(std::byte(c));
  const Bytes compact = compacted(compress(original, synth::parse_method("LNV1s | RLE"), 8));
  constexpr std::uint8_t kExpected[] = {
      0x46, 0x86, 0x94, 0xe1, 0x99, 0xa6, 0xdd, 0x62, 0x22, 0x72, 0xb4, 0x01,  // bits
      0x00, 0xf0, 0x3f, 0x00, 0x10, 0x00, 0x00, 0x84, 0x02, 0x84, 0x01, 0x97,  // the block
      'e',  'n',  'd'};
  EXPECT_TRUE(std::ranges::equal(compact, std::as_bytes(std::span(kExpected))));
}

TEST(Compact, NoByteCanBeForgedOrCutOffUnnoticed) {
  const Bytes original = decimals(200);
  for (const char* text : {"LNV1s BIT | ZE", "DEC:2 LAGs:150 / LNV1s | RLE", "MATCH DICT / BINS"}) {
    const Bytes good = compacted(compress(original, synth::parse_method(text), 8));
    ASSERT_TRUE(is_compact(good));
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes bad = good;
        bad[at] ^= std::byte(1u << bit);
        try {
          EXPECT_EQ(decompress(bad), original) << text << " " << at << " " << bit;
        } catch (const Error&) {
        }
      }
      EXPECT_THROW(decompress(std::span(good).first(at)), Error) << text << " " << at;
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    EXPECT_THROW(decompress(longer), Error) << text;
  }
}

}  // namespace
}  // namespace fpsynth::codec
