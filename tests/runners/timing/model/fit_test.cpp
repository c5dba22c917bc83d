// The arithmetic of the fits, on invented times.

#include "runners/timing/model/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runners/timing/model/calibrate.hpp"

namespace fpsynth::timing {
namespace {

using results::Direction;
using results::StageCost;
using results::StageLoad;

TEST(LeastSquares, FindsTheCoefficients) {
  // 3 + 2x, exactly.
  const auto x = least_squares({{1, 0}, {1, 1}, {1, 5}}, std::vector<double>{3, 5, 13}, 1e-12);
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(x[0], 3, 1e-6);
  EXPECT_NEAR(x[1], 2, 1e-6);
}

TEST(LeastSquares, LeastSumOfSquares) {
  // One unknown: the mean.
  EXPECT_NEAR(least_squares({{1}, {1}, {1}}, std::vector<double>{1, 2, 6}, 0)[0], 3, 1e-12);
}

TEST(LeastSquares, UndeterminedUnknowns) {
  // Equal columns share their value, and columns that never occur get 0.
  const auto x =
      least_squares({{1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, std::vector<double>{4, 8, 12}, 1e-9);
  EXPECT_NEAR(x[0], 2, 1e-4);
  EXPECT_NEAR(x[1], 2, 1e-4);
  EXPECT_EQ(x[2], 0);
}

StageCost cost_of(const char* name, double fixed, double per_in_byte, double per_out_byte) {
  StageCost cost;
  cost.component = *synth::parse_component(name);
  cost.fixed = fixed;
  cost.per_in_byte = per_in_byte;
  cost.per_out_byte = per_out_byte;
  return cost;
}

TEST(FitStages, PredictsPipelinesThatItHasNotSeen) {
  // Times that follow the model: BIT, LNV1s and ZE on 8-byte words and, after the cut, on bytes.
  const auto stage_time = [](synth::Component component, std::size_t word_bytes,
                             const StageLoad& load) {
    const std::string name = synth::to_string(component);
    const double slow = word_bytes == 1 ? 3 : 1;
    if (name == "BIT") return slow * cost_of("BIT", 50, 0.02, 0).nanoseconds(load);
    if (name == "ZE") return slow * cost_of("ZE", 20, 0.01, 0.03).nanoseconds(load);
    return slow * cost_of("LNV1s", 10, 0.015, 0).nanoseconds(load);
  };
  const synth::Space space = {
      .components = {*synth::parse_component("NUL"), *synth::parse_component("BIT"),
                     *synth::parse_component("LNV1s")},
      .last = {*synth::parse_component("ZE")},
      .cuts = {0, 1, 2, 3},
      .stages = 3};
  const auto timed_stages = [&](const synth::Pipeline& pipeline, double out) {
    TimedStages one{.pipeline = pipeline, .loads = {{8192, 8192}, {8192, 8192}, {8192, out}}};
    one.compress_ns = 100 + 0.05 * out;  // of the pipeline itself
    for (std::size_t i = 0; i < 3; ++i) {
      if (synth::family(pipeline.stages[i].family).identity) continue;
      one.compress_ns +=
          stage_time(pipeline.stages[i], pipeline.stage_word_bytes(i, 8), one.loads[i]);
    }
    one.decompress_ns = 2 * one.compress_ns;
    return one;
  };
  std::vector<TimedStages> timed;
  std::vector<synth::Pipeline> pipelines = draw_pipelines(space, space.size(), 1);
  for (std::size_t i = 4; i < pipelines.size(); ++i) {
    for (const double out : {2000.0, 5000.0, 8000.0}) {
      timed.push_back(timed_stages(pipelines[i], out));
    }
  }
  results::CostModel model;
  model.chunk_bytes = 8192;
  model.stages = fit_stages(timed, 8);
  EXPECT_EQ(model.stages.size(), 2u * 2 * 3);
  std::vector<TimedAround> around;
  for (const TimedStages& one : timed) {
    around.push_back({*model.stage_nanoseconds(one.pipeline, 8, one.loads, Direction::Compress),
                      one.loads.back().out_bytes, one.compress_ns});
  }
  model.codec.push_back(fit_codec(around, 1, Direction::Compress));
  for (std::size_t i = 0; i < 4; ++i) {
    const TimedStages unseen = timed_stages(pipelines[i], 6500);
    const auto speed = model.gb_per_s(
        *model.stage_nanoseconds(unseen.pipeline, 8, unseen.loads, Direction::Compress), 6500, 1,
        Direction::Compress);
    ASSERT_TRUE(speed);
    EXPECT_NEAR(8192 / *speed / unseen.compress_ns, 1, 0.01) << synth::to_string(unseen.pipeline);
  }
}

TEST(FitCodec, IsNeverNegative) {
  // 100 + half the stages + a tenth of the bytes.
  std::vector<TimedAround> timed;
  for (const double stages : {100.0, 700.0, 2000.0}) {
    for (const double out : {1000.0, 4000.0}) {
      timed.push_back({stages, out, 100 + 0.5 * stages + 0.1 * out});
    }
  }
  const auto cost = fit_codec(timed, 4, Direction::Decompress);
  EXPECT_EQ(cost.threads, 4u);
  EXPECT_EQ(cost.direction, Direction::Decompress);
  EXPECT_NEAR(cost.fixed, 100, 1);
  EXPECT_NEAR(cost.per_stage_second, 0.5, 0.01);
  EXPECT_NEAR(cost.per_out_byte, 0.1, 0.01);
  // Times that fall with the bytes would need a negative cost.
  for (TimedAround& one : timed) one.chunk_ns = 1000 - 0.1 * one.out_bytes;
  const auto falling = fit_codec(timed, 1, Direction::Compress);
  EXPECT_GE(falling.fixed, 0);
  EXPECT_GE(falling.per_stage_second, 0);
  EXPECT_GE(falling.per_out_byte, 0);
  EXPECT_GT(falling.fixed, 0);
}

TEST(DrawPipelines, DifferentOnesTheSameEverywhere) {
  const auto drawn = draw_pipelines(synth::Space::paper(), 200, 1);
  ASSERT_EQ(drawn.size(), 200u);
  std::vector<std::string> texts;
  for (const auto& pipeline : drawn) texts.push_back(synth::to_string(pipeline));
  EXPECT_EQ(texts, [] {
    std::vector<std::string> again;
    for (const auto& pipeline : draw_pipelines(synth::Space::paper(), 200, 1)) {
      again.push_back(synth::to_string(pipeline));
    }
    return again;
  }());
  std::ranges::sort(texts);
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
  EXPECT_NE(draw_pipelines(synth::Space::paper(), 200, 2).front(), drawn.front());
  synth::Space small = synth::Space::paper();
  small.stages = 1;
  small.cuts = {1};
  EXPECT_EQ(draw_pipelines(small, 200, 1).size(), 2u);
}

}  // namespace
}  // namespace fpsynth::timing
