#include "runners/timing/timed_input.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "synth/common/error.hpp"
#include "tests/runners/timing/support.hpp"

namespace fpsynth::timing {
namespace {

using synth::Precision;

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

}  // namespace
}  // namespace fpsynth::timing
