// The codec of generated CUDA projects that have a prelude: the library's bytes, and what it makes
// of bytes that are not.

#include "runners/codec/gpu/preludes/static_prelude_codec.hpp"

#include <gtest/gtest.h>

#include <random>

#include "components/family.hpp"
#include "components/preludes/lag.hpp"
#include "components/preludes/ord.hpp"
#include "components/registry.hpp"
#include "components/teams/simd/native.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/static_prelude_codec.hpp"
#include "runners/codec/cpu/steps/lagged.hpp"
#include "runners/codec/cpu/steps/permuted.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "tests/runners/codec/gpu/codec_on_device.hpp"
#include "tests/runners/codec/gpu/fixed_pipelines.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;
using testing::Dim, testing::kSingle, testing::Ord, testing::Single, testing::Sub, testing::Xor;
using testing::kMpcBehindSteps, testing::Mpc, testing::MpcBehindSteps;

/// Of words of `word` bytes.
std::vector<Bytes> originals(std::size_t word) {
  std::vector<Bytes> result;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, word - 1, word, 31 * word + 3,
                                  1024 * word, 1024 * word + 1, 5000 * word + 2}) {
    result.push_back(signal(bytes, word));
  }
  return result;
}

template <class Pipeline, class... Steps>
void expect_all(const std::string& text) {
  using Codec = StaticPreludeDeviceCodec<EmulatedDevice, Pipeline, Steps...>;
  testing::expect_the_librarys<Codec>(text, EmulatedDevice(),
                                      originals(sizeof(typename Pipeline::Word)));
}

TEST(StaticPreludeDeviceCodec, WritesAndReadsTheLibrarysContainers) {
  const std::string mpc = std::string(" / ") + testing::kMpc, single = std::string(" / ") + kSingle;
  expect_all<Mpc, Xor<20>>("LAGx:20" + mpc);
  expect_all<Mpc, Ord>("ORD" + mpc);
  expect_all<Mpc, Sub<1>, Sub<1000>>("LAGs:1 LAGs:1000" + mpc);
  expect_all<Mpc, Ord, Sub<7>, Xor<1000>>(kMpcBehindSteps);
  expect_all<Mpc, Dim<3>, Sub<1>, Dim<100>, Dim<1000>>("DIM:3 LAGs:1 DIM:100 DIM:1000" + mpc);
  expect_all<testing::Half, Sub<40>, Ord, Xor<1>>("LAGs:40 ORD LAGx:1 / LNV1s BIT | ZE");
  expect_all<Single, Sub<1>, Sub<2>, Sub<100'000>>("LAGs:1 LAGs:2 LAGs:100000" + single);
}

TEST(PTX_StaticPreludeDeviceCodec, WritesAndReadsTheLibrarysContainers) {
  FPSYNTH_NEEDS_PTX();
  testing::expect_the_librarys<MpcBehindSteps<ptx::PtxDevice>>(kMpcBehindSteps, ptx::PtxDevice(),
                                                               originals(8));
}

/// The CPU's codec of the same steps, of which generated projects hold the code, too.
using OnCpu = StaticPreludeCodec<Mpc, teams::NativeTeam, Ord, Sub<7>, Xor<1000>>;

TEST(StaticPreludeDeviceCodec, SaysWhatTheCpusSaysOfDamagedContainers) {
  testing::CodecOn<MpcBehindSteps<EmulatedDevice>, EmulatedDevice> codec{EmulatedDevice()};
  const Bytes original = signal(20'003, 8);
  const Bytes good = compress(original, synth::parse_method(kMpcBehindSteps), 8);
  std::mt19937 random(3);
  std::array<int, 10> counts{};
  for (int i = 0; i < 400; ++i) {
    Bytes container = good;
    // The headers of both, and what follows.
    if (i < 140) container[std::size_t(i)] ^= std::byte{1};
    if (i >= 140 && i < 200) container.resize(random() % good.size());
    if (i >= 200) container[random() % good.size()] ^= static_cast<std::byte>(1 + i % 255);
    Bytes expected, got;
    const Status wanted = testing::on_cpu<OnCpu>(container, expected);
    const Status status = codec.decompress(container, got);
    ASSERT_EQ(status, wanted) << i;
    ++counts[std::size_t(status)];
    if (wanted == Status::Ok) {
      ASSERT_EQ(got, expected) << i;
    }
  }
  for (const Status status :
       {Status::NotOurs, Status::OtherCodec, Status::Damaged, Status::WrongSum}) {
    EXPECT_GT(counts[std::size_t(status)], 0) << describe(status);
  }
}

TEST(StaticPreludeDeviceCodec, RefusesBadCalls) {
  EmulatedDevice device;
  MpcBehindSteps<EmulatedDevice> codec(device);
  EmulatedDevice::Stream stream;
  alignas(64) std::byte memory[20000]{};
  std::uint64_t written = 0;
  int status = 0;
  EXPECT_EQ(codec.compress(stream, nullptr, 8, memory, &written, memory), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, memory, 8, nullptr, &written, memory), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, memory, 8, memory, nullptr, memory), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, memory, 8, memory, &written, nullptr), Status::BadCall);
  EXPECT_EQ(codec.compress(stream, memory, 8, memory, &written, memory + 8), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, nullptr, 8, memory, 8, &status, memory), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, memory, 8, nullptr, 8, &status, memory), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, memory, 8, memory, 8, nullptr, memory), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, memory, 8, memory, 8, &status, memory + 8), Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, memory, 200, memory, SIZE_MAX, &status, memory),
            Status::Damaged);
  EXPECT_EQ(codec.decompress(stream, memory, 20, memory, 0, &status, memory), Status::Damaged);
  EXPECT_EQ(MpcBehindSteps<EmulatedDevice>::bound(SIZE_MAX), 0u);
}

}  // namespace
}  // namespace fpsynth::codec
