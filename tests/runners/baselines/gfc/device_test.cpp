// GFC's device code, on the host lane by lane, as PTX, and on a GPU where there is one: the CPU's
// bytes.

#include "runners/baselines/gfc/compressor.hpp"

#include <gtest/gtest.h>

#include "runners/baselines/gfc/device_host.hpp"
#include "runners/data/input.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/device/emulated_device.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::baselines {
namespace {

using device::DeviceError;
using device::EmulatedDevice;
using Options = EmulatedDevice::Options;

std::shared_ptr<GfcDevice> emulated(const Options& options = {}) {
  return std::make_shared<GfcOn<EmulatedDevice>>(options);
}

/// The device encodes to the CPU's file, and decodes it.
void expect_the_cpus_bytes(GfcDevice& gfc, const Bytes& doubles, unsigned chunks, unsigned d) {
  const Bytes file = encode_gfc(doubles, chunks, d);
  ASSERT_EQ(gfc.encode(doubles, chunks, d), file) << doubles.size() << ' ' << chunks << ' ' << d;
  ASSERT_EQ(gfc.decode(file, "x.gfc"), doubles) << doubles.size() << ' ' << chunks << ' ' << d;
}

void expect_the_cpus_bytes_everywhere(GfcDevice& gfc) {
  for (const std::size_t count : {0, 1, 31, 32, 33, 64, 127, 128, 129, 160, 417, 1500}) {
    const Bytes doubles = bytes_of(mixed(count));
    for (const unsigned chunks : {1, 2, 3, 7, 100}) {
      expect_the_cpus_bytes(gfc, doubles, chunks, 1 + unsigned(count + chunks) % 32);
    }
  }
  const Bytes doubles = bytes_of(mixed(700));
  for (unsigned d = 1; d <= 32; ++d) expect_the_cpus_bytes(gfc, doubles, 1 + d % 4, d);
  // Chunks of codes only; chunks with full residuals; offsets of every alignment.
  expect_the_cpus_bytes(gfc, Bytes(8 * 3000), 2, 1);
  data::synthetic::Random random(5);
  std::vector<std::uint64_t> noise(3000);
  for (std::uint64_t& word : noise) word = random.bits();
  expect_the_cpus_bytes(gfc, bytes_of(noise), 2, 3);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] >>= 8 * (i / 32 % 8);
  expect_the_cpus_bytes(gfc, bytes_of(noise), 20, 32);
}

void expect_the_cpus_bytes_of_made_sets(GfcDevice& gfc, std::size_t bytes) {
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    const data::Input input = data::make_input(set, bytes);
    const Bytes doubles(input.bytes().begin(), input.bytes().end());
    expect_the_cpus_bytes(gfc, doubles, 10, std::min(set.dimensionality, 32u));
  }
}

/// The device reports the CPU's error for a file.
void expect_the_cpus_error(GfcDevice& gfc, const Bytes& file) {
  const std::string expected = message_of([&] { decode_gfc(file, "x.gfc"); });
  ASSERT_EQ(message_of([&] { gfc.decode(file, "x.gfc"); }), expected);
}

void expect_damage_to_be_found(GfcDevice& gfc) {
  const Bytes whole = encode_gfc(bytes_of(mixed(200)), 3, 2);
  const std::size_t codes = gfc_header_bytes(3);
  for (std::size_t at = 0; at < codes + 40; ++at) {
    for (const unsigned flip : {0x01, 0x80, 0xff}) {
      Bytes file = whole;
      file[at] ^= std::byte(flip);
      expect_the_cpus_error(gfc, file);
    }
  }
  // Codes of the last chunk that need bytes far after the file's end.
  Bytes file = whole;
  for (std::size_t i = 1; i <= 100; ++i) file[file.size() - i] = std::byte{0x77};
  expect_the_cpus_error(gfc, file);
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    expect_the_cpus_error(gfc, Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size)));
  }
  EXPECT_THROW(gfc.encode(Bytes(8), 0, 1), UsageError);
  EXPECT_THROW(gfc.encode(Bytes(8), 1, 33), UsageError);
  EXPECT_THROW(gfc.encode(Bytes(9), 1, 1), Error);
}

TEST(GfcDevice, CpusBytes) {
  const auto gfc = emulated();
  expect_the_cpus_bytes_everywhere(*gfc);
}

TEST(GfcDevice, CpusBytesOfMadeSets) {
  const auto gfc = emulated();
  expect_the_cpus_bytes_of_made_sets(*gfc, 8000);
}

TEST(GfcDevice, CpusBytesWhateverTheLaunch) {
  const Bytes doubles = bytes_of(mixed(5000));
  for (const std::uint32_t lanes : {32, 64}) {
    for (const std::uint32_t blocks : {1, 2, 50}) {
      Options options;
      options.lanes = lanes;
      options.resident_blocks = blocks;
      options.seed = 10 * lanes + blocks;
      expect_the_cpus_bytes(*emulated(options), doubles, 9, 2);
    }
  }
}

TEST(GfcDevice, MoreChunksThanAPrefixSumStep) {
  // A step has 128 counts with 32 lanes.
  expect_the_cpus_bytes(*emulated(), bytes_of(mixed(32 * 300)), 300, 1);
}

TEST(GfcDevice, DamageIsFound) {
  const auto gfc = emulated();
  expect_damage_to_be_found(*gfc);
}

TEST(GfcDevice, BatchesOfWholeChunks) {
  const Bytes doubles = bytes_of(mixed(10'000));
  const Bytes file = encode_gfc(doubles, 40, 2);  // chunks of 256 doubles: 4,224 bytes with buffers
  for (const std::size_t chunks : {1, 2, 7, 39}) {
    Options options;
    options.memory_bytes = (4232 * chunks + 100) * 16 / 15;
    EXPECT_EQ(emulated(options)->encode(doubles, 40, 2), file) << chunks;
    EXPECT_EQ(emulated(options)->decode(file, "x.gfc"), doubles) << chunks;
  }
  // Damage in a batch that is not the last one.
  Options options;
  options.memory_bytes = 20'000;
  Bytes damaged = file;
  damaged[gfc_header_bytes(40) + 3] ^= std::byte{0x33};
  expect_the_cpus_error(*emulated(options), damaged);
}

TEST(GfcDevice, TooLittleMemoryForAChunk) {
  Options options;
  options.memory_bytes = 4000;
  const auto gfc = emulated(options);
  EXPECT_TRUE(contains(message_of([&] { gfc->encode(bytes_of(mixed(10'000)), 40, 2); }),
                       "a chunk of the file needs 4232 bytes of its memory"));
  expect_the_cpus_bytes(*gfc, bytes_of(mixed(500)), 4, 2);
}

TEST(GfcDevice, FailuresAreErrors) {
  const Bytes doubles = bytes_of(mixed(100));
  const Bytes file = encode_gfc(doubles, 1, 1);
  for (int launches = 0; launches < 3; ++launches) {
    Options options;
    options.launches_before_failure = launches;
    const auto gfc = emulated(options);
    EXPECT_THROW(gfc->encode(doubles, 1, 1), DeviceError) << launches;
    EXPECT_THROW(gfc->decode(file, "x.gfc"), DeviceError);
  }
}

TEST(GfcDevice, TimesAreOfTheLastCall) {
  const auto gfc = emulated();
  const Bytes doubles = bytes_of(mixed(1000));
  gfc->encode(doubles, 4, 1);
  EXPECT_GT(gfc->times().kernel, 0);
  EXPECT_GT(gfc->times().to_device, 0);
  EXPECT_GT(gfc->times().to_host, 0);
  const double kernel = gfc->times().kernel;
  gfc->decode(encode_gfc(doubles, 4, 1), "x.gfc");
  EXPECT_NE(gfc->times().kernel, kernel);
}

TEST(GfcDevice, WithoutCudaTheErrorNamesARemedy) {
  if (device::built_with_cuda()) GTEST_SKIP() << "built with CUDA";
  EXPECT_TRUE(contains(message_of([] { on_gpu<gfc_on>({}); }), "--backend cpu"));
}

class PTX_Gfc : public ::testing::Test {
 protected:
  void SetUp() override {
    FPSYNTH_NEEDS_PTX();
    gfc_ = std::make_shared<GfcOn<ptx::PtxDevice>>(ptx::PtxDevice::Options());
  }
  std::shared_ptr<GfcDevice> gfc_;
};

TEST_F(PTX_Gfc, CpusBytes) { expect_the_cpus_bytes_everywhere(*gfc_); }

TEST_F(PTX_Gfc, CpusBytesOfMadeSets) { expect_the_cpus_bytes_of_made_sets(*gfc_, 8000); }

TEST_F(PTX_Gfc, DamageIsFound) { expect_damage_to_be_found(*gfc_); }

class GPU_Gfc : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const auto devices = device::cuda_devices(&why);
    if (devices.empty()) GTEST_SKIP() << why;
    gfc_ = on_gpu<gfc_on>(devices.front());
  }
  std::shared_ptr<GfcDevice> gfc_;
};

TEST_F(GPU_Gfc, CpusBytes) { expect_the_cpus_bytes_everywhere(*gfc_); }

TEST_F(GPU_Gfc, CpusBytesOfMadeSets) {
  expect_the_cpus_bytes_of_made_sets(*gfc_, std::size_t{8} << 20);
}

TEST_F(GPU_Gfc, CpusBytesOfMuchData) {
  const Bytes doubles = bytes_of(mixed(5'000'017));
  for (const unsigned chunks : {1, 1000, 4752, 65535}) {
    expect_the_cpus_bytes(*gfc_, doubles, chunks, 1 + chunks % 32);
  }
}

TEST_F(GPU_Gfc, DamageIsFound) { expect_damage_to_be_found(*gfc_); }

TEST_F(GPU_Gfc, RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input input = data::open_input(path);
  const Bytes doubles(input.bytes().begin(), input.bytes().end());
  for (const unsigned chunks : {1, 1000}) expect_the_cpus_bytes(*gfc_, doubles, chunks, 2);
}

}  // namespace
}  // namespace fpsynth::baselines
