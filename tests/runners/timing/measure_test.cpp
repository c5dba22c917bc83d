#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "runners/timing/compressor.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/timing/support.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::timing {
namespace {

using synth::Precision;

/// A fake codec that keeps a copy and reports invented times.
class Kept : public TimedCodec {
 public:
  Lap compress(std::span<const std::byte> input) override {
    kept_.assign(input.begin(), input.end());
    sizes.push_back(input.size());
    return {double(sizes.size()), kernels(), std::nullopt};
  }
  Lap decompress(std::span<std::byte> output) override {
    outputs.push_back(output.data());
    if (idle) return {1};
    std::ranges::copy(kept_, output.begin());
    if (damage) output[5] ^= std::byte{1};
    if (refuse) throw Error("no such file");
    return {seconds, kernels(), std::nullopt};
  }
  std::span<const std::byte> compressed() override { return kept_; }

  bool damage = false, refuse = false, idle = false, gpu = false;
  double seconds = 1;
  std::vector<std::size_t> sizes;  ///< of the inputs
  std::vector<std::byte*> outputs;

 private:
  std::optional<double> kernels() const { return gpu ? std::optional(0.5) : std::nullopt; }
  std::vector<std::byte> kept_;
};

TEST(Measure, VerifiesBeforeItTimes) {
  const auto input = testing::make_block(testing::Content::Smooth, 8, 1000);
  Kept kept;
  std::vector<std::string> doing;
  const results::ThroughputRow measured =
      measure(kept, "kept", input, {.repetitions = 2},
              [&](const std::string& what) { doing.push_back(what); });
  EXPECT_EQ(doing, (std::vector<std::string>{"verifying", "compressing 1/2", "compressing 2/2",
                                             "decompressing 1/2", "decompressing 2/2"}));
  EXPECT_EQ(measured.compress.seconds, (std::vector<double>{2, 3}));  // the first run verified
  EXPECT_TRUE(measured.compress.kernel_seconds.empty());
  EXPECT_EQ(measured.original_bytes, input.size());
  EXPECT_EQ(measured.compressed_bytes, input.size());
  EXPECT_EQ(measured.ratio(), 1);
  // The output buffer is the same one from the verification to the last repetition.
  EXPECT_EQ(kept.outputs, std::vector<std::byte*>(3, kept.outputs.front()));
  EXPECT_THROW(measure(kept, "kept", input, {.repetitions = 0}), Error);
  kept.gpu = true;
  EXPECT_EQ(measure(kept, "kept", input, {.repetitions = 2}).decompress.kernel_seconds,
            (std::vector<double>{0.5, 0.5}));
}

TEST(Measure, ThroughputIsOfOriginalBytes) {
  Compressor slow = memory_copy();
  slow.compress = [](std::span<const std::byte>, Precision, std::vector<std::byte>& file) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    file.assign(10, std::byte{1});
  };
  slow.decompress = [](std::span<const std::byte>, Precision, std::span<std::byte> original) {
    std::ranges::fill(original, std::byte{0});
  };
  const std::vector<std::byte> zeros(1'000'000);
  const results::ThroughputRow measured =
      measure(slow, zeros, Precision::Single, {.repetitions = 1});
  EXPECT_EQ(measured.ratio(), 1e5);
  EXPECT_GE(results::median(measured.compress.seconds), 0.02);
  EXPECT_LE(measured.gb_per_s(measured.compress), 0.05);
  EXPECT_GT(measured.gb_per_s(measured.compress), 0);
}

TEST(Measure, RatiosAreOfAllBytesAndTimesOfTheFirst) {
  const auto input = testing::make_block(testing::Content::Smooth, 8, 1000);
  Kept kept;
  results::ThroughputRow measured =
      measure(kept, "kept", input, {.repetitions = 2, .timed_bytes = 403});
  EXPECT_EQ(measured.original_bytes, 8000u);
  EXPECT_EQ(measured.compressed_bytes, 8000u);
  EXPECT_EQ(measured.input_bytes, 400u);
  EXPECT_EQ(kept.sizes, (std::vector<std::size_t>{8000, 400, 400, 400}));
  EXPECT_EQ(kept.outputs.size(), 3u);
  EXPECT_DOUBLE_EQ(measured.gb_per_s(measured.decompress), 400 / 1e9);
  measured = measure(kept, "kept", input, {.timed_bytes = 1 << 20});
  EXPECT_EQ(measured.input_bytes, 8000u);
  Compressor tables = memory_copy();  // which takes as long to clear as so many bytes
  tables.least_timed_bytes = 1600;
  EXPECT_EQ(measure(tables, input, Precision::Double, {.timed_bytes = 800}).input_bytes, 1600u);
  EXPECT_EQ(measure(tables, input, Precision::Double, {.timed_bytes = 2400}).input_bytes, 2400u);
}

TEST(Measure, ARepetitionIsAsManyRunsAsItsLeastTimeTakes) {
  const auto input = testing::make_block(testing::Content::Smooth, 8, 100);
  Kept kept;
  kept.seconds = 0.25;
  const results::ThroughputRow measured =
      measure(kept, "kept", input, {.repetitions = 2, .least_seconds = 1});
  EXPECT_EQ(kept.outputs.size(), 1u + 2 * 4);
  EXPECT_EQ(measured.decompress.seconds, (std::vector<double>{0.25, 0.25}));
  EXPECT_EQ(kept.sizes.size(), 1u + 2);  // the fake's runs take 2 and 3 seconds there
}

std::string error_of(Kept& kept) {
  return tests::message_of<RoundTripError>(
      [&] { measure(kept, "wrong", testing::make_block(testing::Content::Random, 8, 100)); });
}

TEST(Measure, WrongRoundTripIsAnError) {
  Kept damaging, refusing, idle;
  damaging.damage = refusing.refuse = idle.idle = true;
  EXPECT_EQ(error_of(damaging),
            "wrong: the round trip does not restore the input; the first difference is at byte 5");
  EXPECT_EQ(error_of(refusing), "wrong cannot decompress its own output: no such file");
  EXPECT_EQ(damaging.sizes.size(), 1u);  // nothing was timed
  // Also for zeros: a buffer that was not written does not pass for the original.
  EXPECT_EQ(error_of(idle),
            "wrong: the round trip does not restore the input; the first difference is at byte 0");
  const std::vector<std::byte> zeros(64);
  EXPECT_THROW(measure(idle, "idle", zeros), RoundTripError);
}

TEST(Measure, CompressorsUseOneBufferForTheirFiles) {
  std::vector<const std::byte*> files;
  Compressor watched = memory_copy();
  watched.compress = [&](std::span<const std::byte> input, Precision,
                         std::vector<std::byte>& file) {
    file.assign(input.begin(), input.end());
    files.push_back(file.data());
  };
  const auto input = testing::make_block(testing::Content::Smooth, 8, 100);
  measure(watched, input, Precision::Double, {.repetitions = 3});
  EXPECT_EQ(files, std::vector<const std::byte*>(4, files.front()));
}

TEST(Measure, MemoryCopyRoundTrips) {
  const auto data = testing::make_block(testing::Content::Smooth, 8, (3 << 20) / 8 + 1);
  for (const int threads : {1, 3}) {
    const Compressor copy = memory_copy(threads);
    EXPECT_EQ(copy.name, "memcpy");
    EXPECT_EQ(measure(copy, data, Precision::Double, {.repetitions = 1}).compressed_bytes,
              data.size());
    std::vector<std::byte> file;
    copy.compress(data, Precision::Double, file);
    EXPECT_EQ(file, data);
    EXPECT_THROW(copy.decompress(file, Precision::Double, std::span(file).first(8)), Error);
  }
}

}  // namespace

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
