// The speed limit of a race, against the model's predictions for one pipeline at a time.

#include "runners/search/race/speed/speed_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "results/throughput/throughput_model.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/timing/model/calibrate.hpp"
#include "runners/timing/model/fit.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/search/speeds.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using results::Direction;
using tests::contains;
using tests::message_of;
using tests::model_of;
using tests::several;
using tests::space_of;

const components::StageTable& table() { return components::default_stages(); }

// predict_all() encodes the sample with each pipeline for itself, and rounds to nanoseconds.
TEST(SpeedLimit, PredictsWhatTheModelPredictsForEachPipeline) {
  for (const std::size_t word_bytes : {4, 8}) {
    const synth::Space space = space_of(3);
    const auto precision = word_bytes == 8 ? synth::Precision::Double : synth::Precision::Single;
    const auto data = several(word_bytes);
    const results::CostModel model = model_of(word_bytes);
    const auto expected = timing::predict_all(model, space, data, precision, 4, 1);
    const auto chunks = timing::sample_chunks(data, word_bytes, 4);

    const SpeedLimit limit(model, {}, word_bytes, 1);
    limit.check(space);
    const synth::Plan plan(space);
    const auto predicted = SpeedWalker(limit, plan, word_bytes, 2, table()).predict(chunks, {});
    for (std::uint64_t id = 0; id < space.size(); ++id) {
      const auto& one = predicted[plan.leaf_of_id()[id]];
      ASSERT_NEAR(one.times.compress, double(expected.compress[id]), 0.51) << id;
      ASSERT_NEAR(one.times.decompress, double(expected.decompress[id]), 0.51) << id;
      if (id % 50 != 0) continue;
      codec::ChunkCoder coder(space.at(id), word_bytes);
      ASSERT_DOUBLE_EQ(one.out_bytes, timing::stage_loads(coder, chunks).back().out_bytes);
    }
  }
}

// A race runs the first stages once, and then the plan of the others on their outputs: words, or
// bytes if the cut was among them. Both give the times of the whole pipeline.
TEST(SpeedLimit, ContinuesBehindStagesThatHaveRun) {
  const auto data = several(8);
  const auto chunks = timing::sample_chunks(data, 8, 4);
  const SpeedLimit limit(model_of(8), {}, 8, 1);
  const synth::Space whole = space_of(4);
  const synth::Plan whole_plan(whole);
  const auto expected = SpeedWalker(limit, whole_plan, 8, 1, table()).predict(chunks, {});
  for (const char* text : {"LNV1s RLE", "LNV1s | RLE"}) {
    const synth::Pipeline first = synth::parse_pipeline(text);
    const bool on_bytes = first.cut < 2;
    // The stages before, as a race runs them.
    codec::ChunkCoder coder(first, 8);
    std::vector<std::vector<std::byte>> blocks;
    for (const auto chunk : chunks) {
      const auto block = coder.encode(chunk).block;
      blocks.emplace_back(block.begin(), block.end());
    }
    const auto loads = timing::stage_loads(coder, chunks);
    StageTimes before;
    for (std::size_t i = 0; i < 2; ++i) {
      before = limit.after(before, first.stages[i], first.stage_word_bytes(i, 8), loads[i]);
    }
    synth::Space rest = space_of(2);
    if (on_bytes) rest.cuts = {0};
    const synth::Plan plan(rest, 4 * synth::kChunkWords * (on_bytes ? 8 : 1));
    const std::vector<std::span<const std::byte>> views(blocks.begin(), blocks.end());
    const auto predicted =
        SpeedWalker(limit, plan, on_bytes ? 1 : 8, 1, table()).predict(views, before);
    for (std::uint64_t id = 0; id < rest.size(); ++id) {
      synth::Pipeline pipeline = rest.at(id);
      pipeline.stages.insert(pipeline.stages.begin(), first.stages.begin(), first.stages.end());
      pipeline.cut = on_bytes ? first.cut : pipeline.cut + 2;
      const auto& one = predicted[plan.leaf_of_id()[id]];
      const auto& same = expected[whole_plan.leaf_of_id()[*whole.id_of(pipeline)]];
      EXPECT_DOUBLE_EQ(one.times.compress, same.times.compress) << synth::to_string(pipeline);
      EXPECT_DOUBLE_EQ(one.times.decompress, same.times.decompress);
      EXPECT_EQ(one.out_bytes, same.out_bytes);
    }
  }
}

// Subtrees that are too slow are left out, which must not change what is found.
TEST(SpeedLimit, FindsTheFastOnesOnAnyNumberOfThreads) {
  const auto data = several(8);
  const auto chunks = timing::sample_chunks(data, 8, 4);
  const results::CostModel model = model_of(8);
  const synth::Plan plan(space_of(3));
  const auto predicted =
      SpeedWalker(SpeedLimit(model, {}, 8, 1), plan, 8, 1, table()).predict(chunks, {});
  const auto speed = [&](const SpeedWalker::Predicted& one, Direction direction) {
    return *model.gb_per_s(one.times.of(direction), one.out_bytes, 1, direction);
  };
  std::vector<double> speeds;
  for (const auto& one : predicted) speeds.push_back(speed(one, Direction::Decompress));
  std::ranges::sort(speeds);
  for (const double share : {0.0, 0.3, 0.9, 1.0}) {
    const double least = speeds[static_cast<std::size_t>(share * double(speeds.size() - 1))];
    for (const MinSpeed min : {MinSpeed{0, least}, MinSpeed{least, least}, MinSpeed{least, 0}}) {
      const SpeedLimit limit(model, min, 8, 1);
      const auto fast = SpeedWalker(limit, plan, 8, 1, table()).fast_enough(chunks, {});
      std::size_t differ = 0;
      for (std::size_t leaf = 0; leaf < fast.size(); ++leaf) {
        const bool expected = speed(predicted[leaf], Direction::Compress) >= min.compress &&
                              speed(predicted[leaf], Direction::Decompress) >= min.decompress;
        // At the limit itself, a quotient and a product may round to different sides.
        differ += expected != bool(fast[leaf]);
      }
      EXPECT_LE(differ, 1u) << share;
      EXPECT_EQ(fast, SpeedWalker(limit, plan, 8, 3, table()).fast_enough(chunks, {}));
      if (min.compress == 0 && share == 0) {
        EXPECT_GE(std::ranges::count(fast, 1), std::ptrdiff_t(fast.size()) - 1);
      }
    }
  }
  const SpeedLimit none(model, {}, 8, 1);
  const auto all = SpeedWalker(none, plan, 8, 1, table()).fast_enough(chunks, {});
  EXPECT_EQ(std::ranges::count(all, 1), std::ptrdiff_t(all.size()));
  const SpeedLimit light(model, {1e6, 0}, 8, 1);
  const auto nothing = SpeedWalker(light, plan, 8, 1, table()).fast_enough(chunks, {});
  EXPECT_EQ(std::ranges::count(nothing, 0), std::ptrdiff_t(nothing.size()));
  EXPECT_FALSE(light.may_be_fast_enough({}));
}

TEST(SpeedLimit, NamesWhatTheModelLacks) {
  const results::CostModel model = model_of(8);
  const auto check = [&](const synth::Space& space) {
    return message_of([&] { SpeedLimit(model, {}, 8, 1).check(space); });
  };
  EXPECT_EQ(check(space_of(4)), "no error");
  synth::Space space = space_of(4);
  space.components.push_back(*synth::parse_component("DIM7"));
  EXPECT_TRUE(contains(check(space), "no costs of DIM7 on words of 8 bytes"));
  space.cuts = {0};
  EXPECT_TRUE(contains(check(space), "no costs of DIM7 on words of 1 bytes"));
  space = space_of(2);
  space.chunk_words = 4096;
  EXPECT_TRUE(contains(check(space), "chunks of 8192 bytes, and those of the search have 32768"));
  EXPECT_TRUE(contains(message_of([&] { SpeedLimit(model, {}, 8, 7); }), "on 7 threads, but on 1"));
  results::CostModel negative = model;
  negative.codec[1].per_out_byte = -1;
  EXPECT_TRUE(contains(message_of([&] { SpeedLimit(negative, {}, 8, 1); }),
                       "negative cost of the codec (decompress)"));
}

TEST(MinSpeed, IsReadAndWritten) {
  const MinSpeed both = MinSpeed::parse("decompress=4,compress=2.5");
  EXPECT_EQ(both, (MinSpeed{2.5, 4}));
  EXPECT_EQ(both.text(), "compress=2.5,decompress=4");
  EXPECT_EQ(MinSpeed::parse("decompress=1e-1"), (MinSpeed{0, 0.1}));
  EXPECT_EQ(MinSpeed::parse("compress=3").text(), "compress=3");
  for (const char* text : {"", "compress", "compress=", "compress=0", "compress=-1", "compress=nan",
                           "compress=inf", "compress=2x", "speed=2", "compress=2,", ",compress=2",
                           "compress=2,compress=3", "compress=2 ,decompress=4", "Compress=2"}) {
    EXPECT_TRUE(contains(message_of([&] { MinSpeed::parse(text); }),
                         "least speed '" + std::string(text) + "': give compress=GB/s"))
        << text;
    EXPECT_THROW(MinSpeed::parse(text), UsageError);
  }
}

}  // namespace
}  // namespace fpsynth::search
