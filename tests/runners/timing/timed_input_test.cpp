// The input that is timed, and the processor's codec that is timed on it.

#include "runners/timing/timed_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/timing/backend.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::timing {
namespace {

using synth::Precision;

constexpr std::size_t kChunk = 8192;  ///< bytes

std::vector<std::byte> smooth(std::size_t bytes) {
  return testing::make_block(testing::Content::Smooth, 8, bytes / 8);
}

TEST(TimedInput, LargeDataIsNotCopied) {
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

TEST(CpuBackend, WritesWhatCompressWrites) {
  const auto data = smooth(5 * kChunk + 40);
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
