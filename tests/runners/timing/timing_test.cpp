#include "runners/timing/timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runners/codec/codec.hpp"
#include "runners/timing/measure.hpp"
#include "runners/timing/model/calibrate.hpp"
#include "runners/timing/model/stage_loads.hpp"
#include "synth/common/error.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::throughput {
namespace {

using synth::Precision;

constexpr std::size_t kChunk = 8192;

std::vector<std::byte> smooth(std::size_t bytes) {
  return testing::make_block(testing::Content::Smooth, 8, bytes / 8);
}

TEST(TimedInput, LargeDataIsTakenAsItIs) {
  const auto data = smooth(3 * kChunk + 16);
  const TimedInput input(data, Precision::Double, 2 * kChunk);
  EXPECT_EQ(input.bytes().data(), data.data());
  EXPECT_EQ(input.bytes().size(), data.size());
  EXPECT_EQ(input.copies(), 1u);
}

TEST(TimedInput, RepeatsWholeChunks) {
  const auto data = smooth(2 * kChunk + 16);
  const TimedInput input(data, Precision::Double, 5 * kChunk);
  EXPECT_EQ(input.copies(), 3u);
  ASSERT_EQ(input.bytes().size(), 6 * kChunk);
  for (std::size_t copy = 0; copy < 3; ++copy) {
    EXPECT_EQ(std::memcmp(input.bytes().data() + copy * 2 * kChunk, data.data(), 2 * kChunk), 0);
  }
}

TEST(TimedInput, ShortDataIsRepeatedByWords) {
  auto data = smooth(24);
  data.resize(27);  // three words and a tail
  const TimedInput input(data, Precision::Double, 100);
  EXPECT_EQ(input.bytes().size(), 5 * 24u);
  EXPECT_THROW(TimedInput(std::span(data).first(7), Precision::Double, 100), Error);
}

/// Keeps a copy, and tells times of its own.
class Kept : public TimedCodec {
 public:
  Lap compress(std::span<const std::byte> input) override {
    kept_.assign(input.begin(), input.end());
    ++laps_;
    return {.seconds = double(laps_), .kernel_seconds = kernels(), .transfer_seconds = {}};
  }
  Lap decompress(std::span<std::byte> output) override {
    std::ranges::copy(kept_, output.begin());
    if (damage) output[5] ^= std::byte{1};
    if (refuse) throw Error("no such file");
    return {.seconds = 1, .kernel_seconds = kernels(), .transfer_seconds = {}};
  }
  std::span<const std::byte> compressed() override { return kept_; }
  bool damage = false, refuse = false, gpu = false;

 private:
  std::optional<double> kernels() const { return gpu ? std::optional(0.5) : std::nullopt; }
  std::vector<std::byte> kept_;
  int laps_ = 0;
};

TEST(TimeCodec, VerifiesBeforeItTimes) {
  const auto data = smooth(1000);
  Kept kept;
  std::vector<std::string> doing;
  const TimedRun run =
      time_codec(kept, "kept", data, 2, [&](const std::string& what) { doing.push_back(what); });
  EXPECT_EQ(doing, (std::vector<std::string>{"verifying", "compressing 1/2", "compressing 2/2",
                                             "decompressing 1/2", "decompressing 2/2"}));
  EXPECT_EQ(run.compress.seconds, (std::vector<double>{2, 3}));  // the first one verified
  EXPECT_TRUE(run.compress.kernel_seconds.empty());
  kept.gpu = true;
  EXPECT_EQ(time_codec(kept, "kept", data, 2).decompress.kernel_seconds,
            (std::vector<double>{0.5, 0.5}));
}

TEST(TimeCodec, TimesNothingThatIsWrong) {
  const auto data = smooth(1000);
  Kept damaging, refusing;
  damaging.damage = refusing.refuse = true;
  EXPECT_THROW(time_codec(damaging, "damaging", data, 1), baselines::RoundTripError);
  EXPECT_THROW(time_codec(refusing, "refusing", data, 1), baselines::RoundTripError);
}

TEST(CpuBackend, WritesWhatCompressWrites) {
  const auto data = smooth(5 * kChunk + 40);
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV1s BIT | RLE");
  const Backend backend = cpu_backend(3);
  ASSERT_EQ(backend.ways.size(), 2u);
  EXPECT_EQ(backend.ways[0].threads, 1u);
  EXPECT_EQ(backend.ways[1].threads, 3u);
  EXPECT_EQ(cpu_backend(1).ways.size(), 1u);
  const auto file = codec::compress(data, pipeline, 8);
  for (const Way& way : backend.ways) {
    const auto codec = way.make(pipeline, Precision::Double);
    time_codec(*codec, "it", data, 1);
    EXPECT_TRUE(std::ranges::equal(codec->compressed(), file));
  }
}

TEST(MemoryCopy, CopiesThereAndBack) {
  const auto data = smooth((std::size_t{3} << 20) + 8);
  for (const std::uint64_t threads : {1, 3}) {
    const auto copy = memory_copy(threads);
    EXPECT_EQ(time_codec(*copy, "memcpy", data, 1).compress.seconds.size(), 1u);
    EXPECT_TRUE(std::ranges::equal(copy->compressed(), data));
  }
}

TEST(StageLoads, AreWhatTheStagesMakeOfTheChunks) {
  const auto data = smooth(10 * kChunk + 8);
  const Chunks chunks = sample_chunks(data, 8, 4);
  ASSERT_EQ(chunks.size(), 4u);
  EXPECT_EQ(chunks[1].data(), data.data() + 2 * kChunk);
  EXPECT_EQ(sample_chunks(data, 8, 100).size(), 10u);
  EXPECT_EQ(sample_chunks(std::span(data).first(100), 8, 4).front().size(), 96u);

  codec::ChunkCoder chain(synth::parse_pipeline("LNV1s RLE | ZE"), 8);
  const auto loads = stage_loads(chain, chunks);
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0].in_bytes, double(kChunk));
  EXPECT_EQ(loads[0].out_bytes, double(kChunk));
  EXPECT_EQ(loads[0].ragged, 0);
  EXPECT_EQ(loads[0].control, 0);
  double out = 0, ragged = 0, control = 0;
  for (const auto chunk : chunks) {
    const auto extents = chain.encode(chunk).extents;
    out += 8.0 * extents[1].words / 4;
    ragged += (8 * extents[1].words % 64 != 0) / 4.0;
    control += std::sqrt(8.0 * (extents[1].words - extents[1].values)) / 4;
  }
  EXPECT_DOUBLE_EQ(loads[1].out_bytes, out);
  EXPECT_DOUBLE_EQ(loads[2].in_bytes, out);
  EXPECT_DOUBLE_EQ(loads[2].ragged, ragged);
  EXPECT_DOUBLE_EQ(loads[1].control, control);
  EXPECT_GT(loads[1].control, 0);
}

// The whole of it on a small space: what comes out is a valid document's model.
TEST(Calibrate, SmallSpace) {
  const auto data = smooth(20 * kChunk);
  const TimedInput input(data, Precision::Double, 20 * kChunk);
  synth::Space space = synth::Space::paper();
  space.components.resize(4);
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  Calibration options;
  options.checks = 5;
  options.chunks = 4;
  options.repetitions = 1;
  const Backend backend = cpu_backend(2);
  const auto model = calibrate(backend, space, data, input, Precision::Double, options);
  EXPECT_EQ(model.checks.size(), 2u * 5);
  EXPECT_EQ(model.codec.size(), 4u);
  EXPECT_EQ(results::prediction_errors(model.checks).size(), 4u);
  EXPECT_EQ(model.pipelines + 5, space.size());  // what is checked is not fitted to
  const auto predictions = predict_all(model, space, data, Precision::Double, 4, 2);
  EXPECT_EQ(predictions.compress.size(), space.size());
  EXPECT_EQ(predictions.chunks, 4u);
  EXPECT_GT(*std::ranges::max_element(predictions.decompress), 0u);

  space.stages = 1;
  space.cuts = {1};
  EXPECT_THROW(calibrate(backend, space, data, input, Precision::Double, options), Error);
}

}  // namespace
}  // namespace fpsynth::throughput
