// Holt's device code, on the host lane by lane, as PTX, and on a GPU where there is one: the CPU's
// bytes.

#include "runners/baselines/holt/compressor.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "runners/baselines/holt/device_host.hpp"
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
using synth::Precision;
using Options = EmulatedDevice::Options;

std::shared_ptr<HoltDevice> emulated(const Options& options = {}) {
  return std::make_shared<HoltOn<EmulatedDevice>>(options);
}

/// The device encodes to the CPU's file, and decodes it.
void expect_the_cpus_bytes(HoltDevice& holt, const Bytes& input, Precision precision,
                           const HoltParameters& p) {
  const auto what = [&] {
    return ::testing::Message() << input.size() << " bytes of " << synth::word_bytes(precision)
                                << ", run " << p.run << ", alpha " << p.alpha;
  };
  const Bytes file = encode_holt(input, precision, p);
  ASSERT_EQ(holt.encode(input, precision, p), file) << what();
  ASSERT_EQ(holt.decode(file, "x.holt"), input) << what();
}

/// Singles that are upper halves of doubles, and some that are lower halves.
Bytes singles(std::size_t count) {
  std::vector<std::uint32_t> words;
  for (const std::uint64_t word : mixed(count)) {
    words.push_back(static_cast<std::uint32_t>(word >> (words.size() % 5 == 0 ? 0 : 32)));
  }
  return bytes_of(words);
}

/// Infinities, NaNs with payloads, both zeros, subnormals, overflow.
Bytes specials(std::size_t count) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    const float kinds[] = {-0.0f,    inf,
                           -inf,     std::bit_cast<float>(0x7f80'0001u),
                           0.0f,     1e-45f,
                           3.4e38f,  -0.0f,
                           1.5e-38f, static_cast<float>(i)};
    values.push_back(kinds[i * i % 10]);
  }
  return bytes_of(values);
}

void expect_the_cpus_bytes_everywhere(HoltDevice& holt) {
  const HoltParameters settings[] = {
      {0, 0, 115},    {1, 1, 115},    {0.5, 0.25, 115}, {0.1, 0, 1}, {0, 0.3, 2},
      {0.7, 0.7, 16}, {0.5, 0.5, 32}, {0.2, 0.9, 33},   {0, 0, 500}, {0.9, 0.1, 65536}};
  for (HoltParameters p : settings) {
    for (const std::size_t count : {0, 1, 2, 3, 31, 115, 116, 1840, 3790}) {
      p.floats = !p.floats;
      expect_the_cpus_bytes(holt, singles(count), Precision::Single, p);
      if (count < 1840) expect_the_cpus_bytes(holt, bytes_of(mixed(count)), Precision::Double, p);
    }
  }
  expect_the_cpus_bytes(holt, bytes_of(mixed(3790)), Precision::Double, {0.3, 0.6, 115});
  for (const double factor : {0.0, 0.5, 1.0}) {
    expect_the_cpus_bytes(holt, specials(2000), Precision::Single, {factor, factor, 50, true});
    expect_the_cpus_bytes(holt, specials(2000), Precision::Double, {factor, factor, 50, true});
  }
  Bytes input = bytes_of(mixed(40));  // tails
  for (int cut = 0; cut < 8; ++cut, input.pop_back()) {
    expect_the_cpus_bytes(holt, input, Precision::Single, {});
    expect_the_cpus_bytes(holt, input, Precision::Double, {});
  }
}

void expect_the_cpus_bytes_of_made_sets(HoltDevice& holt, std::size_t bytes) {
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    const data::Input doubles = data::make_input(set, bytes);
    for (const Precision precision : {Precision::Single, Precision::Double}) {
      const data::Input input = doubles.in(precision);
      const Bytes values(input.bytes().begin(), input.bytes().end());
      expect_the_cpus_bytes(holt, values, precision, {0.8, 0.3, 115});
    }
  }
}

/// The device reports the CPU's error for a file.
void expect_the_cpus_error(HoltDevice& holt, const Bytes& file) {
  const std::string expected = message_of([&] { decode_holt(file, "x.holt"); });
  ASSERT_EQ(message_of([&] { holt.decode(file, "x.holt"); }), expected);
}

void expect_damage_to_be_found(HoltDevice& holt) {
  for (const Precision precision : {Precision::Single, Precision::Double}) {
    const Bytes input = precision == Precision::Single ? singles(700) : bytes_of(mixed(400));
    const Bytes whole = encode_holt(input, precision, {0.5, 0.5, 20});
    for (std::size_t at = 4; at < std::min<std::size_t>(whole.size(), 180); ++at) {
      for (const unsigned flip : {0x01, 0xff}) {
        Bytes file = whole;
        file[at] ^= std::byte(flip);
        expect_the_cpus_error(holt, file);
      }
    }
    // Codes of the last run that need bytes far after the file's end, and codes that need fewer
    // bytes.
    for (const unsigned byte : {0xff, 0x00}) {
      Bytes file = whole;
      for (std::size_t i = 1; i <= 60; ++i) file[file.size() - i] = std::byte(byte);
      expect_the_cpus_error(holt, file);
    }
    for (std::size_t size = 0; size < whole.size(); size += 23) {
      expect_the_cpus_error(holt, Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size)));
    }
  }
  EXPECT_THROW(holt.encode(Bytes(8), Precision::Single, {2, 0, 115}), UsageError);
  EXPECT_THROW(holt.encode(Bytes(8), Precision::Single, {0, 0, 0}), UsageError);
}

TEST(HoltDevice, CpusBytes) {
  const auto holt = emulated();
  expect_the_cpus_bytes_everywhere(*holt);
}

TEST(HoltDevice, CpusBytesOfMadeSets) {
  const auto holt = emulated();
  expect_the_cpus_bytes_of_made_sets(*holt, 8000);
}

TEST(HoltDevice, CpusBytesWhateverTheLaunch) {
  const Bytes input = singles(30'000);
  for (const std::uint32_t lanes : {32, 64}) {
    for (const std::uint32_t blocks : {1, 20}) {
      Options options;
      options.lanes = lanes;
      options.resident_blocks = blocks;
      options.seed = 10 * lanes + blocks;
      expect_the_cpus_bytes(*emulated(options), input, Precision::Single, {0.5, 0.5, 115});
    }
  }
}

TEST(HoltDevice, DamageIsFound) {
  const auto holt = emulated();
  expect_damage_to_be_found(*holt);
}

TEST(HoltDevice, BatchesOfWholeRuns) {
  const Bytes input = singles(4000);
  const HoltParameters p{0.5, 0.5,
                         25};  // 100 bytes a run, 107 in the worst case, 12 for size and offset
  const Bytes file = encode_holt(input, Precision::Single, p);
  for (const std::size_t runs : {1, 3, 33, 70, 159}) {
    Options options;
    options.memory_bytes = (219 * runs + 80) * 16 / 15;
    EXPECT_EQ(emulated(options)->encode(input, Precision::Single, p), file) << runs;
    EXPECT_EQ(emulated(options)->decode(file, "x.holt"), input) << runs;
  }
}

TEST(HoltDevice, TooLittleMemoryForARun) {
  Options options;
  options.memory_bytes = 20'000;
  const auto holt = emulated(options);
  EXPECT_TRUE(contains(message_of([&] {
                         holt->encode(singles(5000), Precision::Single, {0, 0, 5000});
                       }),
                       "a run of the file needs 41262 bytes of its memory"));
  expect_the_cpus_bytes(*holt, singles(500), Precision::Single, {});
}

TEST(HoltDevice, FailuresAreErrors) {
  const Bytes input = singles(300);
  const Bytes file = encode_holt(input, Precision::Single);
  for (int launches = 0; launches < 3; ++launches) {
    Options options;
    options.launches_before_failure = launches;
    const auto holt = emulated(options);
    EXPECT_THROW(holt->encode(input, Precision::Single, {}), DeviceError) << launches;
    EXPECT_THROW(holt->decode(file, "x.holt"), DeviceError);
  }
}

TEST(HoltDevice, TimesAreOfTheLastCall) {
  const auto holt = emulated();
  holt->encode(singles(1000), Precision::Single, {});
  EXPECT_GT(holt->times().kernel, 0);
  EXPECT_GT(holt->times().to_device, 0);
  EXPECT_GT(holt->times().to_host, 0);
  const double kernel = holt->times().kernel;
  holt->decode(encode_holt(singles(1000), Precision::Single), "x.holt");
  EXPECT_NE(holt->times().kernel, kernel);
}

TEST(HoltDevice, WithoutCudaTheErrorNamesARemedy) {
  if (device::built_with_cuda()) GTEST_SKIP() << "built with CUDA";
  EXPECT_TRUE(contains(message_of([] { on_gpu<holt_on>({}); }), "--backend cpu"));
}

class PTX_Holt : public ::testing::Test {
 protected:
  void SetUp() override {
    FPSYNTH_NEEDS_PTX();
    holt_ = std::make_shared<HoltOn<ptx::PtxDevice>>(ptx::PtxDevice::Options());
  }
  std::shared_ptr<HoltDevice> holt_;
};

TEST_F(PTX_Holt, CpusBytes) { expect_the_cpus_bytes_everywhere(*holt_); }

TEST_F(PTX_Holt, CpusBytesOfMadeSets) { expect_the_cpus_bytes_of_made_sets(*holt_, 8000); }

TEST_F(PTX_Holt, DamageIsFound) { expect_damage_to_be_found(*holt_); }

class GPU_Holt : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const auto devices = device::cuda_devices(&why);
    if (devices.empty()) GTEST_SKIP() << why;
    holt_ = on_gpu<holt_on>(devices.front());
  }
  std::shared_ptr<HoltDevice> holt_;
};

TEST_F(GPU_Holt, CpusBytes) { expect_the_cpus_bytes_everywhere(*holt_); }

TEST_F(GPU_Holt, CpusBytesOfMadeSets) {
  expect_the_cpus_bytes_of_made_sets(*holt_, std::size_t{8} << 20);
}

TEST_F(GPU_Holt, CpusBytesOfMuchData) {
  for (const HoltParameters& p : {HoltParameters{0, 0, 115}, {0.4, 0.2, 115}, {0.5, 0.5, 65536}}) {
    expect_the_cpus_bytes(*holt_, singles(5'000'017), Precision::Single, p);
    expect_the_cpus_bytes(*holt_, bytes_of(mixed(5'000'017)), Precision::Double, p);
  }
}

TEST_F(GPU_Holt, DamageIsFound) { expect_damage_to_be_found(*holt_); }

TEST_F(GPU_Holt, RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input input = data::open_input(path);
  for (const Precision precision : {Precision::Single, Precision::Double}) {
    const data::Input values = input.in(precision);
    const Bytes bytes(values.bytes().begin(), values.bytes().end());
    expect_the_cpus_bytes(*holt_, bytes, precision, {});
    expect_the_cpus_bytes(*holt_, bytes, precision, {0.3, 0.7, 115});
  }
}

}  // namespace
}  // namespace fpsynth::baselines
