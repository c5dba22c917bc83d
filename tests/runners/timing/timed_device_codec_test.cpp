// Timed codecs on a device: on an emulated one here, and on a GPU if there is one.

#include "runners/timing/timed_codec.hpp"

#include <gtest/gtest.h>

#include "runners/codec/codec.hpp"
#include "runners/codec/gpu/codec_on.hpp"
#include "runners/timing/backend.hpp"
#include "runners/timing/device_copy.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::timing {
namespace {

using device::EmulatedDevice;

std::vector<std::byte> block(std::size_t words) {
  return testing::make_block(testing::Content::Smooth, 8, words);
}

/// Both directions, with inputs of several sizes one after the other.
void expect_round_trips(
    TimedCodec& codec,
    const std::function<std::vector<std::byte>(std::span<const std::byte>)>& of) {
  for (const std::size_t words : {3000, 3000, 200, 5001}) {
    const auto input = block(words);
    const results::ThroughputRow measured = measure(codec, "a codec", input, {.repetitions = 2});
    const auto compressed = codec.compressed();
    EXPECT_EQ(std::vector<std::byte>(compressed.begin(), compressed.end()), of(input));
    for (const results::Times& times : {measured.compress, measured.decompress}) {
      ASSERT_EQ(times.seconds.size(), 2u);
      ASSERT_EQ(times.kernel_seconds.size(), 2u);
      ASSERT_EQ(times.transfer_seconds.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_GT(times.kernel_seconds[i], 0);
        EXPECT_GT(times.transfer_seconds[i], 0);
        EXPECT_LE(times.transfer_seconds[i], times.seconds[i]);
      }
    }
  }
}

TEST(DeviceTimed, CodecGivesTheLibrarysBytes) {
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV6s BIT LNV1s ZE");
  const auto codec = timed_on_device(codec::device_codec(EmulatedDevice(), pipeline, 8, 1024));
  expect_round_trips(*codec, [&](std::span<const std::byte> input) {
    return codec::compress(input, pipeline, 8);
  });
  std::vector<std::byte> other(8);
  EXPECT_THROW(codec->decompress(other), Error);
}

TEST(DeviceTimed, CopyCopies) {
  DeviceCopyOn<EmulatedDevice> copy{EmulatedDevice()};
  expect_round_trips(copy, [](std::span<const std::byte> input) {
    return std::vector<std::byte>(input.begin(), input.end());
  });
  std::vector<std::byte> other(8);
  EXPECT_THROW(copy.decompress(other), Error);
}

TEST(DeviceTimed, FailuresAreErrors) {
  EmulatedDevice::Options options;
  options.launches_before_failure = 1;
  const auto codec = timed_on_device(
      codec::device_codec(EmulatedDevice(options), synth::parse_pipeline("ZE"), 8, 1024));
  EXPECT_THROW(codec->compress(block(5000)), device::DeviceError);
  options = {};
  options.memory_bytes = 30000;
  DeviceCopyOn<EmulatedDevice> copy{EmulatedDevice(options)};
  EXPECT_THROW(copy.compress(block(5000)), device::DeviceError);
}

TEST(DeviceTimed, BackendSaysThatThereIsNoGpu) {
  if (!device::cuda_devices().empty()) GTEST_SKIP() << "there is one";
  EXPECT_TRUE(tests::contains(tests::message_of<device::DeviceError>([] { cuda_backend(); }),
                              "--backend cpu"));
}

TEST(DeviceTimed, GPU_RunsEveryVariant) {
  std::string why;
  if (device::cuda_devices(&why).empty()) GTEST_SKIP() << why;
  Backend backend = cuda_backend();
  EXPECT_EQ(add_generated_kernels(backend), "");
  EXPECT_FALSE(backend.device.empty());
  EXPECT_TRUE(backend.instruction_set.starts_with("sm_"));
  EXPECT_GT(backend.cache_bytes, 0u);
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV2s LNV2s LNV2x | ZE");
  for (const Variant& variant : backend.variants) {
    SCOPED_TRACE(variant.how);
    const auto codec = variant.make(pipeline, synth::Precision::Double);
    expect_round_trips(*codec, [&](std::span<const std::byte> input) {
      return codec::compress(input, pipeline, 8);
    });
  }
  const auto input = block(50000);
  measure(*backend.copy(1), "copy", input, {.repetitions = 1});
}

}  // namespace
}  // namespace fpsynth::timing
