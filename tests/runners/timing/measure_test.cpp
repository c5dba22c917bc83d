#include "runners/timing/measure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runners/baselines/peers/peers.hpp"
#include "synth/common/error.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

TEST(Measure, MedianAndSpread) {
  const Timing odd = timing_of({3, 1, 2}, 4'000'000'000);
  EXPECT_EQ(odd.seconds, (std::vector<double>{3, 1, 2}));
  EXPECT_DOUBLE_EQ(odd.median, 2);
  EXPECT_DOUBLE_EQ(odd.spread, 1);
  EXPECT_DOUBLE_EQ(odd.gb_per_s, 2);
  EXPECT_DOUBLE_EQ(timing_of({1, 2, 3, 6}, 1).median, 2.5);
  EXPECT_EQ(timing_of({0}, 1).gb_per_s, 0);
  EXPECT_THROW(timing_of({}, 1), Error);
}

TEST(Measure, VerifiesBeforeItTimes) {
  const auto input = testing::make_block(testing::Content::Smooth, 8, 1000);
  std::vector<std::string> doing;
  const Measurement copy = measure(memory_copy(), input, Precision::Double, {.repetitions = 2},
                                   [&](const std::string& what) { doing.push_back(what); });
  EXPECT_EQ(doing, (std::vector<std::string>{"verifying", "compressing 1/2", "compressing 2/2",
                                             "decompressing 1/2", "decompressing 2/2"}));
  EXPECT_EQ(copy.name, "memcpy");
  EXPECT_EQ(copy.original_bytes, input.size());
  EXPECT_EQ(copy.compressed_bytes, input.size());
  EXPECT_EQ(copy.ratio(), 1);
  EXPECT_EQ(copy.compress.seconds.size(), 2u);
  EXPECT_EQ(copy.decompress.seconds.size(), 2u);
}

TEST(Measure, ThroughputIsOfOriginalBytes) {
  Compressor slow = memory_copy();
  slow.compress = [](std::span<const std::byte>, Precision) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::vector<std::byte>(10);
  };
  slow.decompress = [](std::span<const std::byte>, Precision, std::size_t bytes) {
    return std::vector<std::byte>(bytes);
  };
  const std::vector<std::byte> zeros(1'000'000);
  const Measurement measured = measure(slow, zeros, Precision::Single, {.repetitions = 1});
  EXPECT_EQ(measured.ratio(), 1e5);
  EXPECT_GE(measured.compress.median, 0.02);
  EXPECT_LE(measured.compress.gb_per_s, 0.05);
  EXPECT_GT(measured.compress.gb_per_s, 0);
}

TEST(Measure, RatiosAreOfAllBytesAndTimesOfTheFirst) {
  const auto input = testing::make_block(testing::Content::Smooth, 8, 1000);
  std::vector<std::size_t> sizes;
  int runs = 0;
  Compressor watched = memory_copy();
  watched.compress = [&](std::span<const std::byte> bytes, Precision) {
    sizes.push_back(bytes.size());
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  watched.decompress = [&](std::span<const std::byte> file, Precision, std::size_t) {
    ++runs;
    return std::vector<std::byte>(file.begin(), file.end());
  };
  Measurement measured =
      measure(watched, input, Precision::Double, {.repetitions = 2, .timed_bytes = 403});
  EXPECT_EQ(measured.original_bytes, 8000u);
  EXPECT_EQ(measured.compressed_bytes, 8000u);
  EXPECT_EQ(measured.timed_bytes, 400u);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{8000, 400, 400, 400}));
  EXPECT_EQ(runs, 3);
  measured = measure(watched, input, Precision::Double, {.timed_bytes = 1 << 20});
  EXPECT_EQ(measured.timed_bytes, 8000u);
}

TEST(Measure, ARepetitionIsAsManyRunsAsItsLeastTimeTakes) {
  const auto input = testing::make_block(testing::Content::Smooth, 8, 100);
  const Effort effort{.repetitions = 3, .least_seconds = 0.005};
  int runs = 0;
  Compressor counted = memory_copy();
  counted.compress = [&](std::span<const std::byte> bytes, Precision) {
    ++runs;
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const Measurement measured = measure(counted, input, Precision::Double, effort);
  // 800 bytes are copied in less than 5 ms, but where another program takes the core meanwhile.
  EXPECT_GE(runs, 1 + 2 * 3);
  EXPECT_EQ(measured.compress.seconds.size(), 3u);
  EXPECT_LT(measured.compress.median, effort.least_seconds);  // of one of a repetition's runs
}

TEST(Measure, WrongRoundTripIsAnError) {
  Compressor wrong = memory_copy();
  wrong.name = "wrong";
  wrong.decompress = [](std::span<const std::byte> file, Precision, std::size_t) {
    std::vector<std::byte> bytes(file.begin(), file.end());
    bytes[77] ^= std::byte{1};
    return bytes;
  };
  const auto input = testing::make_block(testing::Content::Random, 8, 100);
  try {
    measure(wrong, input, Precision::Double);
    FAIL() << "no error";
  } catch (const RoundTripError& error) {
    EXPECT_STREQ(error.what(),
                 "wrong: the round trip does not give the input back, from byte 77 on");
  }
  wrong.decompress = [](std::span<const std::byte>, Precision, std::size_t) {
    return std::vector<std::byte>();
  };
  EXPECT_THROW(measure(wrong, input, Precision::Double), RoundTripError);
  wrong.decompress = [](std::span<const std::byte>, Precision,
                        std::size_t) -> std::vector<std::byte> { throw Error("damaged"); };
  EXPECT_THROW(measure(wrong, input, Precision::Double), RoundTripError);
}

}  // namespace
}  // namespace fpsynth::baselines
