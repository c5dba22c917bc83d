// The codec of generated CUDA projects, its kernels lane by lane on the host and as PTX: the
// library's bytes, and what it makes of bytes that are not.

#include "runners/codec/gpu/static_codec.hpp"

#include <gtest/gtest.h>

#include <random>

#include "components/registry.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "tests/runners/codec/gpu/codec_on_device.hpp"
#include "tests/runners/codec/gpu/fixed_pipelines.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using namespace components;
using device::EmulatedDevice;

template <class C, class Device>
using Fixed = testing::CodecOn<StaticDeviceCodec<Device, C>, Device>;
using testing::with_shared;

template <class C, class Device = EmulatedDevice>
void expect_the_librarys(const char* text, std::size_t shared_kib) {
  constexpr std::size_t word = sizeof(typename C::Word);
  const synth::Pipeline pipeline = synth::parse_pipeline(text);
  Fixed<C, Device> codec(with_shared<Device>(shared_kib));
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, word - 1, word, 31 * word + 3,
                                  1024 * word, 1024 * word + 1, 5000 * word + 2}) {
    SCOPED_TRACE(::testing::Message() << text << ", " << bytes << " bytes");
    for (const Bytes& original : {signal(bytes, word), noise(bytes)}) {
      const Bytes container = compress(original, pipeline, word);
      ASSERT_EQ(codec.compress(original), container);
      Bytes back;
      ASSERT_EQ(codec.decompress(container, back), Status::Ok);
      ASSERT_EQ(back, original);
    }
  }
}

/// Checks the numbers that a device with only compiled kernels needs to know of its program.
template <class C>
void expect_the_lists_numbers(const char* text) {
  using Loaded = LoadedProgram<typename C::Word>;
  const Loaded list = loaded_program<typename C::Word>(synth::parse_pipeline(text));
  const StaticProgram<C> fixed;
  using Encode = typename EncodeKernel<StaticProgram<C>>::Args;
  using EncodeLoaded = typename EncodeKernel<Loaded>::Args;
  static_assert(sizeof(Encode) == sizeof(EncodeLoaded));
  static_assert(offsetof(Encode, in) == offsetof(EncodeLoaded, in));
  static_assert(offsetof(Encode, capacity) == offsetof(EncodeLoaded, capacity));
  static_assert(sizeof(StaticProgram<C>) == sizeof(StaticProgramSizes));
  static_assert(std::is_trivially_copyable_v<StaticProgram<C>>);
  EXPECT_EQ(fixed.chunk_words, list.chunk_words) << text;
  EXPECT_EQ(fixed.frame_bytes, list.frame_bytes) << text;
  EXPECT_EQ(fixed.worst_block, list.worst_block) << text;
  EXPECT_EQ(fixed.blocks.spilled.bytes, list.blocks.spilled.bytes) << text;
  EXPECT_EQ(fixed.blocks.spilled.items, list.blocks.spilled.items) << text;
}

template <class C>
void expect_all(const char* text) {
  expect_the_librarys<C>(text, 200);
  // Where blocks may be in device memory they are, on a device with little else.
  if (StaticProgram<C>().only_shared()) {
    EXPECT_THROW((Fixed<C, EmulatedDevice>(with_shared<EmulatedDevice>(8))), device::DeviceError)
        << text;
  } else {
    expect_the_librarys<C>(text, 8);
  }
  expect_the_lists_numbers<C>(text);
}

template <unsigned N>
using Sub = Use<LnvSub, N>;

using testing::Grown, testing::kGrown, testing::kHalf, testing::kMpc, testing::Mpc;

TEST(StaticDeviceCodec, WritesAndReadsTheLibrarysContainers) {
  using Double = std::uint64_t;
  using Single = std::uint32_t;
  expect_all<Mpc>("LNV6s BIT LNV1s ZE");
  expect_all<StaticPipeline<Single, 3, Sub<2>, Sub<2>, Use<LnvXor, 2>, Use<Ze>>>(
      "LNV2s LNV2s LNV2x | ZE");
  expect_all<StaticPipeline<Double, 1, Use<Rle>, Use<Nul>, Use<Dim, 5>, Use<Rle>>>(
      "RLE | NUL DIM5 RLE");
  expect_all<testing::Half>(kHalf);
  expect_all<Grown>(kGrown);
  static_assert(!StaticProgram<Grown>::only_shared(StaticProgram<Grown>::kArea));
  static_assert(StaticProgram<Mpc>::only_shared(StaticProgram<Mpc>::kArea));
}

TEST(StaticDeviceCodec, WritesAndReadsMorePipelines) {
  using Double = std::uint64_t;
  using Single = std::uint32_t;
  using X = Use<LnvXor, 3>;
  expect_all<StaticPipeline<Single, 4, Sub<6>, Use<Bit>, Sub<1>, Use<Ze>>>("LNV6s BIT LNV1s ZE");
  expect_all<StaticPipeline<Double, 3, Sub<2>, Sub<2>, Use<LnvXor, 2>, Use<Ze>>>(
      "LNV2s LNV2s LNV2x | ZE");
  expect_all<StaticPipeline<std::uint16_t, 2, Use<Bit>, Use<Inv>, Use<Dim, 8>, Use<Rle>>>(
      "BIT INV | DIM8 RLE");
  expect_all<StaticPipeline<Double, 0, Use<Bit>, Use<Nul>, Sub<8>, Use<Rle>>>(
      "| BIT NUL LNV8s RLE");
  expect_all<StaticPipeline<Single, 1, Use<Ze>, Use<Ze>, Use<Rle>, Use<Ze>>>("ZE | ZE RLE ZE");
  expect_all<StaticPipeline<Double, 2, Use<Dim, 32>, X, Use<Inv>, Use<Ze>>>("DIM32 LNV3x | INV ZE");
  expect_all<StaticPipeline<Single, 4, Use<Rle>, Use<Bit>, Use<Dim, 3>, Use<Rle>>>(
      "RLE BIT DIM3 RLE");
}

TEST(StaticDeviceCodec, TellsWhatIsWrong) {
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV6s BIT LNV1s ZE");
  const Bytes original = signal(30001, 8), container = compress(original, pipeline, 8);
  Fixed<Mpc, EmulatedDevice> codec(with_shared<EmulatedDevice>(200));
  Bytes back;
  EXPECT_EQ(codec.decompress(Bytes(200), back), Status::NotOurs);
  EXPECT_EQ(codec.decompress(compress(original, synth::parse_pipeline("ZE"), 8), back),
            Status::OtherCodec);
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{30}, std::size_t{60}}) {
    const Bytes part(container.begin(), container.begin() + std::ptrdiff_t(bytes));
    EXPECT_EQ(codec.decompress(part, back), Status::Damaged) << bytes << " bytes";
  }
  Bytes short_by_one(container.begin(), container.end() - 1), longer = container;
  longer.push_back(std::byte{0});
  EXPECT_EQ(codec.decompress(short_by_one, back), Status::Damaged);
  EXPECT_EQ(codec.decompress(longer, back), Status::Damaged);
  // Where the size is known from elsewhere, no one has looked at the header yet.
  EXPECT_EQ(codec.decompress(container, original.size() - 8, back), Status::TooSmall);
  EXPECT_EQ(codec.decompress(Bytes(container.size()), original.size(), back), Status::NotOurs);
  Bytes forged = container;
  forged[8] ^= std::byte{1};
  EXPECT_EQ(codec.decompress(forged, original.size(), back), Status::OtherCodec);
  forged = container;
  forged[kVersionAt] = std::byte{1};
  EXPECT_EQ(codec.decompress(forged, original.size(), back), Status::OldVersion);
  for (const std::uint8_t version : {kDescribedVersion, kSectionsVersion}) {
    forged[kVersionAt] = std::byte{version};
    EXPECT_EQ(codec.decompress(forged, original.size(), back), Status::Described);
  }
  forged[kVersionAt] = std::byte{3};
  EXPECT_EQ(codec.decompress(forged, original.size(), back), Status::OtherCodec);
  forged = container;
  forged[StaticContainer<Mpc>::kChecksumAt] ^= std::byte{1};
  EXPECT_EQ(codec.decompress(forged, back), Status::WrongSum);
  EXPECT_EQ(codec.decompress(container, back), Status::Ok);
  EXPECT_EQ(back, original);
}

TEST(StaticDeviceCodec, NoByteCanBeForgedUnnoticed) {
  const synth::Pipeline pipeline = synth::parse_pipeline("LNV6s BIT LNV1s ZE");
  const Bytes original = signal(1100 * 8, 8), container = compress(original, pipeline, 8);
  Fixed<Mpc, EmulatedDevice> codec(with_shared<EmulatedDevice>(200));
  Bytes back;
  for (std::size_t at = 0; at < container.size(); at += at < 60 ? 1 : 97) {
    Bytes forged = container;
    forged[at] ^= std::byte{0x11};
    EXPECT_NE(codec.decompress(forged, original.size(), back), Status::Ok) << "byte " << at;
  }
}

/// Bytes changed, cut off and put in, behind the header as well as in it: what the CPU restores is
/// restored, what it refuses is refused, and (under AddressSanitizer) nothing else is read.
template <class C, class Device = EmulatedDevice>
void expect_the_cpus_verdicts(const char* text, std::size_t shared_kib) {
  constexpr std::size_t word = sizeof(typename C::Word);
  const Bytes original = signal(1500 * word + 3, word);
  const Bytes container = compress(original, synth::parse_pipeline(text), word);
  Fixed<C, Device> codec(with_shared<Device>(shared_kib));
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 60; ++round) {
    Bytes forged = container;
    for (unsigned changes = random() % 3; changes-- > 0;) {
      const std::size_t at = random() % (random() % 2 ? 80 : forged.size());
      forged[at] = std::byte(random());
    }
    if (random() % 4 == 0) forged.resize(random() % forged.size());
    if (random() % 4 == 0) forged.resize(forged.size() + random() % 20);
    std::string said = "nothing";
    Bytes expected;
    try {
      expected = decompress(forged);
    } catch (const Error& error) {
      said = error.what();
    }
    Bytes back;
    const Status status = codec.decompress(forged, back);
    // Another pipeline's container is one for the library.
    if (status == Status::OtherCodec) continue;
    ASSERT_EQ(status == Status::Ok, said == "nothing") << text << ": " << said;
    if (status == Status::Ok) {
      ASSERT_EQ(back, expected);
    }
    refused += status != Status::Ok;
  }
  EXPECT_GT(refused, 15u) << text;
}

TEST(StaticDeviceCodec, SaysOfForgedContainersWhatTheCpuSays) {
  expect_the_cpus_verdicts<Mpc>("LNV6s BIT LNV1s ZE", 200);
  expect_the_cpus_verdicts<
      StaticPipeline<std::uint32_t, 1, Use<Rle>, Use<Ze>, Use<Dim, 5>, Use<Rle>>>(
      "RLE | ZE DIM5 RLE", 200);
  expect_the_cpus_verdicts<Grown>(kGrown, 8);
}

TEST(PTX_StaticDeviceCodec, WritesAndReadsTheLibrarysContainers) {
  FPSYNTH_NEEDS_PTX();
  expect_the_librarys<Mpc, ptx::PtxDevice>(kMpc, 200);
  expect_the_librarys<testing::Half, ptx::PtxDevice>(kHalf, 200);
  expect_the_librarys<Grown, ptx::PtxDevice>(kGrown, 200);
  expect_the_librarys<Grown, ptx::PtxDevice>(kGrown, 36);
}

TEST(PTX_StaticDeviceCodec, SaysOfForgedContainersWhatTheCpuSays) {
  FPSYNTH_NEEDS_PTX();
  expect_the_cpus_verdicts<Mpc, ptx::PtxDevice>(kMpc, 200);
  expect_the_cpus_verdicts<Grown, ptx::PtxDevice>(kGrown, 36);
}

TEST(StaticDeviceCodec, RefusesBadCalls) {
  StaticDeviceCodec<EmulatedDevice, Mpc> codec{EmulatedDevice{}};
  EmulatedDevice::Stream stream;
  Bytes bytes(100);
  std::uint64_t written = 0;
  int status = 0;
  std::size_t size = 1;
  EXPECT_EQ(codec.compress(stream, nullptr, 1, bytes.data(), &written, bytes.data()),
            Status::BadCall);
  EXPECT_EQ(codec.compress(stream, bytes.data(), 1, bytes.data(), nullptr, bytes.data()),
            Status::BadCall);
  EXPECT_EQ(codec.decompress(stream, bytes.data(), 100, nullptr, 1, &status, bytes.data()),
            Status::BadCall);
  EXPECT_EQ(codec.original_size(stream, nullptr, 100, size), Status::BadCall);
  EXPECT_EQ(size, 0u);
}

}  // namespace
}  // namespace fpsynth::codec
