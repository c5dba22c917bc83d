// Calls of the codec of generated CUDA projects whose prelude keeps values beside the words:
// waiting, memory, failures of the device, bad arguments.

#include <gtest/gtest.h>

#include <cstdint>

#include "components/registry.hpp"
#include "runners/device/emulated_device.hpp"
#include "tests/runners/codec/gpu/fixed_pipelines.hpp"
#include "tests/runners/codec/gpu/prelude_on_device.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;
using testing::kMpcBehindSideSteps, testing::MpcBehindSideSteps;

/// Calls of a codec on a device of its own, with the memory of the host as the device's.
struct Calls {
  explicit Calls(const EmulatedDevice::Options& options)
      : codec(EmulatedDevice(options)),
        original(bytes_of_words(decimals<std::uint64_t>(300, 5))),
        packed(codec.bound(original.size())),
        back(original.size()) {
    const std::size_t bytes = codec.workspace_bytes(original.size());
    workspace.resize(bytes + components::kBlockAlignment);
    const auto at = reinterpret_cast<std::uintptr_t>(workspace.data());
    aligned = workspace.data() + (-at & (components::kBlockAlignment - 1));
  }
  Status compress() {
    return codec.compress(stream, original.data(), original.size(), packed.data(), &written,
                          aligned);
  }
  Status decompress() {
    return codec.decompress(stream, packed.data(), std::size_t(written), back.data(), back.size(),
                            &status, aligned);
  }

  MpcBehindSideSteps<EmulatedDevice> codec;
  EmulatedDevice::Stream stream;
  Bytes original, packed, back, workspace;
  std::byte* aligned;
  std::uint64_t written = 0;
  int status = -1;
};

TEST(StaticSideCodec, ItsWorkIsDoneWhenACallReturns) {
  Calls calls({});
  ASSERT_EQ(calls.compress(), Status::Ok);
  calls.packed.resize(calls.written);
  EXPECT_TRUE(calls.packed ==
              compress(calls.original, synth::parse_method(kMpcBehindSideSteps), 8));
  ASSERT_EQ(calls.decompress(), Status::Ok);
  EXPECT_EQ(calls.status, 0);
  EXPECT_TRUE(calls.back == calls.original);
}

TEST(StaticSideCodec, TooLittleMemoryIsAStatus) {
  Calls enough({});
  ASSERT_EQ(enough.compress(), Status::Ok);
  int none = 0, some = 0;
  for (std::size_t memory = 0; memory < 40'000; memory += 800) {
    EmulatedDevice::Options options;
    options.memory_bytes = memory;
    Calls calls(options);
    const Status packed = calls.compress();
    ASSERT_TRUE(packed == Status::Ok || packed == Status::NoMemory) << memory;
    // Memory that was freed does not come back on this device.
    Calls others(options);
    others.packed = enough.packed;
    others.written = enough.written;
    const Status unpacked = others.decompress();
    ASSERT_TRUE(unpacked == Status::Ok || unpacked == Status::NoMemory) << memory;
    if (unpacked == Status::Ok) {
      ASSERT_TRUE(others.back == enough.original);
    }
    none += (packed == Status::NoMemory) + (unpacked == Status::NoMemory);
    some += (packed == Status::Ok) + (unpacked == Status::Ok);
  }
  EXPECT_GT(none, 2);
  EXPECT_GT(some, 2);
}

TEST(StaticSideCodec, FailuresOfTheDeviceAreThrown) {
  Calls good({});
  ASSERT_EQ(good.compress(), Status::Ok);
  const auto fails_after = [&](int launches, auto call) {
    EmulatedDevice::Options options;
    options.launches_before_failure = launches;
    Calls calls(options);
    calls.packed = good.packed;
    calls.written = good.written;
    try {
      EXPECT_EQ(call(calls), Status::Ok);
      return false;
    } catch (const device::DeviceError&) {
      return true;
    }
  };
  for (const auto call : {&Calls::compress, &Calls::decompress}) {
    const auto of = [&](Calls& calls) { return (calls.*call)(); };
    int launches = 0;
    while (fails_after(launches, of)) ++launches;
    EXPECT_GT(launches, 4);
  }
}

TEST(StaticSideCodec, RefusesBadCalls) {
  Calls calls({});
  auto& codec = calls.codec;
  auto& stream = calls.stream;
  ASSERT_EQ(calls.compress(), Status::Ok);
  std::byte* const memory = calls.aligned;
  const std::size_t packed = calls.written;
  std::byte* const in = calls.packed.data();
  std::byte* const out = calls.back.data();
  std::uint64_t written = 0;
  int status = 0;
  EXPECT_EQ(codec.compress(stream, nullptr, 8, out, &written, memory), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, in, 8, nullptr, &written, memory), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, in, 8, out, nullptr, memory), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, in, 8, out, &written, nullptr), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, in, 8, out, &written, memory + 8), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, nullptr, 8, out, 8, &status, memory), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, in, packed, nullptr, 8, &status, memory), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, in, packed, out, 8, nullptr, memory), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, in, packed, out, 8, &status, memory + 8), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, in, packed, out, calls.back.size() - 1, &status, memory),
            Status::TooSmall);
  EXPECT_EQ(codec.decompress(stream, in, 20, out, 0, &status, memory), Status::Damaged);
  std::size_t size = 1;
  EXPECT_EQ(codec.original_size(stream, nullptr, 8, size), Status::BadCall);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(codec.original_size(stream, in, packed, size), Status::Ok);
  EXPECT_EQ(size, calls.original.size());
}

}  // namespace
}  // namespace fpsynth::codec
