// The arithmetic of predictions.

#include "results/throughput/throughput_model.hpp"

#include <gtest/gtest.h>

#include "tests/results/throughput_support.hpp"

namespace fpsynth::results {
namespace {

TEST(CostModel, AddsUpStages) {
  CostModel model = small_model(5, 1, 2);
  const synth::Pipeline pipeline = synth::parse_pipeline("NUL LNV1s | ZE");
  const std::vector<StageLoad> loads = {{80, 80, 0, 0}, {80, 80, 0, 0}, {80, 40, 0, 0}};
  // LNV1s: 5 + 80 + 160; ZE: 5 + 80 + 80; NUL costs nothing.
  EXPECT_DOUBLE_EQ(*model.stage_nanoseconds(pipeline, 8, loads, Direction::Compress), 245 + 165);
  // The time of a stage is never negative.
  for (StageCost& cost : model.stages) {
    if (synth::to_string(cost.component) == "ZE") cost.fixed = -1000;
  }
  EXPECT_DOUBLE_EQ(*model.stage_nanoseconds(pipeline, 8, loads, Direction::Decompress), 245);
}

TEST(CostModel, TermsOfAStage) {
  StageCost cost;
  cost.fixed = 1;
  cost.per_in_byte = 2;
  cost.ragged_fixed = 30;
  cost.ragged_per_in_byte = 4;
  cost.per_out_byte = 5;
  cost.per_root_control = 6;
  EXPECT_DOUBLE_EQ(cost.nanoseconds({10, 20, 0.5, 7}), 1 + 20 + 0.5 * (30 + 40) + 100 + 42);
}

TEST(CostModel, AddsTheCodec) {
  CostModel model = small_model(0, 0, 0);
  model.codec[0].per_out_byte = 0.5;
  EXPECT_DOUBLE_EQ(*model.gb_per_s(100, 20, 1, Direction::Compress), 8192 / (10 + 200 + 10.0));
  EXPECT_DOUBLE_EQ(*model.gb_per_s(100, 20, 1, Direction::Decompress), 8192 / 210.0);
  EXPECT_FALSE(model.gb_per_s(100, 20, 2, Direction::Compress));
  EXPECT_FALSE(model.gb_per_s(-100, 0, 1, Direction::Compress));
}

TEST(CostModel, HasNoCostForUnknownStages) {
  const CostModel model = small_model(5, 1, 2);
  const auto known = [&](const char* text, std::size_t word_bytes) {
    const synth::Pipeline pipeline = synth::parse_pipeline(text);
    const std::vector<StageLoad> loads(pipeline.stages.size());
    return model.stage_nanoseconds(pipeline, word_bytes, loads, Direction::Compress).has_value();
  };
  EXPECT_TRUE(known("BIT ZE", 8));
  EXPECT_FALSE(known("INV ZE", 8));
  EXPECT_FALSE(known("BIT ZE", 4));
  EXPECT_TRUE(known("| BIT ZE", 4));
}

TEST(CostModel, ErrorsAreOfSeconds) {
  // The predicted speed is twice the timed one, so the predicted time is half: an error of 0.5.
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

}  // namespace
}  // namespace fpsynth::results
