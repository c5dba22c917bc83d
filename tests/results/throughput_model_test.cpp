// The arithmetic of predictions.

#include "results/throughput_model.hpp"

#include "tests/results/throughput_support.hpp"

namespace fpsynth::results {
namespace {

constexpr double kChunk = 8192;

TEST(CostModel, AddsUpStagesAndCodec) {
  const CostModel model = small_model(5, 1, 2);
  const synth::Pipeline pipeline = synth::parse_pipeline("NUL LNV1s | ZE");
  const std::vector<double> lengths = {kChunk, kChunk, kChunk, 4096};
  // LNV1s: 5 + 8 + 16; ZE: 5 + 8 + 8; NUL costs nothing; codec: 10 + twice that.
  const auto seconds = model.seconds(pipeline, 8, lengths, 1, Direction::Compress);
  ASSERT_TRUE(seconds);
  EXPECT_DOUBLE_EQ(*seconds, (10 + 2 * (29 + 21)) * 1e-9);
  EXPECT_DOUBLE_EQ(*model.gb_per_s(pipeline, 8, lengths, 1, Direction::Decompress), kChunk / 110);
}

TEST(CostModel, SaysWhatItDoesNotKnow) {
  const CostModel model = small_model(5, 1, 2);
  const auto seconds = [&](const char* text, std::size_t word_bytes, std::uint64_t threads) {
    const synth::Pipeline pipeline = synth::parse_pipeline(text);
    const std::vector<double> lengths(pipeline.stages.size() + 1, kChunk);
    return model.seconds(pipeline, word_bytes, lengths, threads, Direction::Compress);
  };
  EXPECT_TRUE(seconds("BIT ZE", 8, 1));
  EXPECT_FALSE(seconds("INV ZE", 8, 1));
  EXPECT_FALSE(seconds("BIT ZE", 4, 1));
  EXPECT_TRUE(seconds("| BIT ZE", 4, 1));
  EXPECT_FALSE(seconds("BIT ZE", 8, 2));
  CostModel nonsense = small_model(-50, 0, 0);
  const std::vector<double> lengths = {kChunk, kChunk, kChunk};
  EXPECT_FALSE(
      nonsense.seconds(synth::parse_pipeline("BIT ZE"), 8, lengths, 1, Direction::Compress));
}

TEST(CostModel, ErrorsAreOfSeconds) {
  // Predicted twice as fast as it is: half the time, so off by half.
  std::vector<PredictionCheck> checks = {{"a", 1, 2, 1, 1, 1}};
  EXPECT_DOUBLE_EQ(prediction_errors(checks).front().median, 0.5);
  checks.clear();
  for (int i = 1; i <= 10; ++i) checks.push_back({"a", 2, 1, 1 + 0.01 * i, 1, 1});
  checks.push_back({"b", 1, 1, 1, 1, 1});
  const auto errors = prediction_errors(checks);
  ASSERT_EQ(errors.size(), 4u);  // one thread and two, both directions
  EXPECT_EQ(errors[0].pipelines, 1u);
  EXPECT_EQ(errors[2].threads, 2u);
  EXPECT_NEAR(errors[2].median, 0.05, 1e-9);
  EXPECT_NEAR(errors[2].percentile_90, 0.09, 1e-9);
  EXPECT_NEAR(errors[2].worst, 0.10, 1e-9);
  EXPECT_DOUBLE_EQ(errors[3].worst, 0);
  EXPECT_TRUE(prediction_errors({}).empty());
}

TEST(CostModel, BlockLengthsFromPayloads) {
  // Ids 0..5: NUL | ZE, BIT | ZE, LNV1s | ZE, NUL ZE, BIT ZE, LNV1s ZE; payload kBytes / ratio less
  // the overhead, two chunks, a frame of two bytes.
  const Document document = document_with("a", {1, 2, 4, 1, 2, 8});
  const auto lengths = block_lengths(document, synth::parse_pipeline("LNV1s ZE"));
  ASSERT_TRUE(lengths);
  EXPECT_EQ(*lengths, (std::vector<double>{kChunk, kChunk, (2048.0 - kOverhead) / 2 - 2}));
  // A shorter pipeline is looked up with NUL in front.
  EXPECT_EQ(block_lengths(document, synth::parse_pipeline("ZE"))->size(), 2u);
  EXPECT_FALSE(block_lengths(document, synth::parse_pipeline("LNV2s ZE")));
  EXPECT_FALSE(block_lengths(document, synth::parse_pipeline("BIT BIT ZE")));
}

TEST(CostModel, BlockLengthsInTheMiddle) {
  // Two stages, of which the first may reduce: its block is that of NUL and the same.
  Document document = document_with("a", {1, 1, 1, 1, 1, 1});
  document.space.components = {*synth::parse_component("NUL"), *synth::parse_component("ZE")};
  document.payload_bytes = {16000, 2 * 3000 + 4, 12000, 2 * 5000 + 8};  // NUL|ZE ZE|ZE NUL ZE ZE ZE
  finish(document);
  const auto words = block_lengths(document, synth::parse_pipeline("ZE ZE"));
  EXPECT_EQ(*words, (std::vector<double>{kChunk, 6000 - 2, 5000}));
  // In front of the cut, ZE works on words there too.
  const auto bytes = block_lengths(document, synth::parse_pipeline("ZE | ZE"));
  EXPECT_EQ(*bytes, (std::vector<double>{kChunk, 6000 - 2, 3000 - 2}));
}

}  // namespace
}  // namespace fpsynth::results
