#include "runners/timing/model/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runners/timing/backend.hpp"
#include "runners/timing/model/fit.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/timing/support.hpp"

namespace fpsynth::timing {
namespace {

using synth::Precision;

TEST(StageLoads, AreTheMeansOverTheChunks) {
  const auto data = smooth(10 * kChunk + 8);
  const Chunks chunks = sample_chunks(data, 8, 4);
  ASSERT_EQ(chunks.size(), 4u);
  EXPECT_EQ(chunks[1].data(), data.data() + 2 * kChunk);
  EXPECT_EQ(sample_chunks(data, 8, 100).size(), 10u);
  EXPECT_EQ(sample_chunks(std::span(data).first(100), 8, 4).front().size(), 96u);

  codec::ChunkCoder coder(synth::parse_pipeline("LNV1s RLE | ZE"), 8);
  const auto loads = stage_loads(coder, chunks);
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0].in_bytes, double(kChunk));
  EXPECT_EQ(loads[0].out_bytes, double(kChunk));
  EXPECT_EQ(loads[0].ragged, 0);
  EXPECT_EQ(loads[0].control, 0);
  double out = 0, ragged = 0, control = 0;
  for (const auto chunk : chunks) {
    const auto extents = coder.encode(chunk).extents;
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

// A whole calibration on a small space: the result is a valid document's model.
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
}  // namespace fpsynth::timing
