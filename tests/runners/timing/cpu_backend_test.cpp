#include "runners/timing/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runners/codec/codec.hpp"
#include "runners/timing/measure.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::timing {
namespace {

using synth::Precision;

TEST(CpuBackend, WritesWhatCompressWrites) {
  const auto data = testing::make_block(testing::Content::Smooth, 8, 5 * 1024 + 5);
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV1s BIT | RLE");
  const Backend backend = cpu_backend(3);
  ASSERT_EQ(backend.variants.size(), 2u);
  EXPECT_EQ(backend.variants[0].threads, 1u);
  EXPECT_EQ(backend.variants[1].threads, 3u);
  EXPECT_EQ(cpu_backend(1).variants.size(), 1u);
  const auto file = codec::compress(data, pipeline, 8);
  for (const Variant& variant : backend.variants) {
    const auto codec = variant.make(pipeline, Precision::Double);
    measure(*codec, "it", data, {.repetitions = 1});
    EXPECT_TRUE(std::ranges::equal(codec->compressed(), file));
  }
}

}  // namespace
}  // namespace fpsynth::timing
