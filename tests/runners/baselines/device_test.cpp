// The device code of GFC and Holt, on the host lane by lane, as PTX, and on a GPU where there is
// one: the CPU's bytes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "runners/baselines/gfc/device_host.hpp"
#include "runners/baselines/holt/device_host.hpp"
#include "runners/data/input.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/emulated/device.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::baselines {
namespace {

using device::DeviceError;
using device::EmulatedDevice;
using synth::Precision;
using Options = EmulatedDevice::Options;

Bytes bytes_of_input(const data::Input& input) {
  return Bytes(input.bytes().begin(), input.bytes().end());
}

/// GFC in these tests. A sample is an input with its parameters.
struct GfcCase {
  using Interface = GfcDevice;
  template <class Device>
  using On = GfcOn<Device>;
  struct Sample {
    Bytes input;
    unsigned chunks = 1, dimensionality = 1;
  };

  static Bytes encode(const Sample& s) { return encode_gfc(s.input, s.chunks, s.dimensionality); }
  static Bytes encode(GfcDevice& gfc, const Sample& s) {
    return gfc.encode(s.input, s.chunks, s.dimensionality);
  }
  static Bytes decode(const Bytes& file) { return decode_gfc(file, "x"); }
  static std::string text(const Sample& s) {
    return fmt::format("{} bytes, {} chunks, dimensionality {}", s.input.size(), s.chunks,
                       s.dimensionality);
  }
  static std::shared_ptr<GfcDevice> on(const device::DeviceInfo& gpu) {
    return on_gpu<gfc_on>(gpu);
  }

  static void everywhere(const auto& expect) {
    for (const std::size_t count : {0, 1, 31, 32, 33, 64, 127, 128, 129, 160, 417, 1500}) {
      for (const unsigned chunks : {1, 2, 3, 7, 100}) {
        expect({bytes_of(mixed(count)), chunks, 1 + unsigned(count + chunks) % 32});
      }
    }
    for (unsigned d = 1; d <= 32; ++d) expect({bytes_of(mixed(700)), 1 + d % 4, d});
    // Chunks of codes only; chunks with full residuals; offsets of every alignment; more chunks
    // than a step of the prefix sums has, which is 128 with 32 lanes.
    expect({Bytes(8 * 3000), 2, 1});
    data::synthetic::Random random(5);
    std::vector<std::uint64_t> noise(3000);
    for (std::uint64_t& word : noise) word = random.bits();
    expect({bytes_of(noise), 2, 3});
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] >>= 8 * (i / 32 % 8);
    expect({bytes_of(noise), 20, 32});
    expect({bytes_of(mixed(32 * 300)), 300, 1});
  }
  static void of_set(const data::Input& doubles, unsigned dimensionality, const auto& expect) {
    for (const unsigned chunks : {10, 1000}) {
      expect({bytes_of_input(doubles), chunks, std::min(dimensionality, 32u)});
    }
  }
  static void much(const auto& expect) {
    for (const unsigned chunks : {1, 1000, 4752, 65535}) {
      expect({bytes_of(mixed(5'000'017)), chunks, 1 + chunks % 32});
    }
  }
  static std::vector<Sample> to_damage() { return {{bytes_of(mixed(200)), 3, 2}}; }
  static constexpr std::size_t kDamaged = 59;  ///< bytes: the header, and the first codes
  static void refuses(GfcDevice& gfc) {
    EXPECT_THROW(gfc.encode(Bytes(8), 0, 1), UsageError);
    EXPECT_THROW(gfc.encode(Bytes(8), 1, 33), UsageError);
    EXPECT_THROW(gfc.encode(Bytes(9), 1, 1), Error);
  }
  static Sample usual() { return {bytes_of(mixed(5000)), 9, 2}; }
  /// Chunks of 256 doubles: 4,224 bytes with buffers.
  static Sample in_batches() { return {bytes_of(mixed(10'000)), 40, 2}; }
  static constexpr std::size_t kBatches[] = {1, 2, 7, 39}, kPart = 4232, kRest = 100;
  static constexpr const char* kTooLittle = "a chunk of the file needs 4232 bytes of its memory";
  static Sample too_large() { return in_batches(); }
  static constexpr std::size_t kMemory = 4000;
  static Sample small() { return {bytes_of(mixed(500)), 4, 2}; }
};

Bytes halves(std::size_t count) { return bytes_of(singles(count)); }

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

/// Holt in these tests.
struct HoltCase {
  using Interface = HoltDevice;
  template <class Device>
  using On = HoltOn<Device>;
  struct Sample {
    Bytes input;
    Precision precision = Precision::Single;
    HoltParameters parameters = {};
  };

  static Bytes encode(const Sample& s) { return encode_holt(s.input, s.precision, s.parameters); }
  static Bytes encode(HoltDevice& holt, const Sample& s) {
    return holt.encode(s.input, s.precision, s.parameters);
  }
  static Bytes decode(const Bytes& file) { return decode_holt(file, "x"); }
  static std::string text(const Sample& s) {
    return fmt::format("{} bytes of {}, run {}, alpha {}", s.input.size(),
                       synth::word_bytes(s.precision), s.parameters.run, s.parameters.alpha);
  }
  static std::shared_ptr<HoltDevice> on(const device::DeviceInfo& gpu) {
    return on_gpu<holt_on>(gpu);
  }

  static void everywhere(const auto& expect) {
    const HoltParameters settings[] = {
        {0, 0, 115},    {1, 1, 115},    {0.5, 0.25, 115}, {0.1, 0, 1}, {0, 0.3, 2},
        {0.7, 0.7, 16}, {0.5, 0.5, 32}, {0.2, 0.9, 33},   {0, 0, 500}, {0.9, 0.1, 65536}};
    for (HoltParameters p : settings) {
      for (const std::size_t count : {0, 1, 2, 3, 31, 115, 116, 1840, 3790}) {
        p.floats = !p.floats;
        expect({halves(count), Precision::Single, p});
        if (count < 1840) expect({bytes_of(mixed(count)), Precision::Double, p});
      }
    }
    expect({bytes_of(mixed(3790)), Precision::Double, {0.3, 0.6, 115}});
    for (const double factor : {0.0, 0.5, 1.0}) {
      for (const Precision precision : synth::kPaperPrecisions) {
        expect({specials(2000), precision, {factor, factor, 50, true}});
      }
    }
    Bytes input = bytes_of(mixed(40));  // tails
    for (int cut = 0; cut < 8; ++cut, input.pop_back()) {
      for (const Precision precision : synth::kPaperPrecisions) expect({input, precision});
    }
  }
  static void of_set(const data::Input& doubles, unsigned, const auto& expect) {
    for (const Precision precision : synth::kPaperPrecisions) {
      expect({bytes_of_input(doubles.in(precision)), precision, {0.8, 0.3, 115}});
    }
  }
  static void much(const auto& expect) {
    for (const HoltParameters& p :
         {HoltParameters{0, 0, 115}, {0.4, 0.2, 115}, {0.5, 0.5, 65536}}) {
      expect({halves(5'000'017), Precision::Single, p});
      expect({bytes_of(mixed(5'000'017)), Precision::Double, p});
    }
  }
  static std::vector<Sample> to_damage() {
    return {{halves(700), Precision::Single, {0.5, 0.5, 20}},
            {bytes_of(mixed(400)), Precision::Double, {0.5, 0.5, 20}}};
  }
  static constexpr std::size_t kDamaged = 180;
  static void refuses(HoltDevice& holt) {
    EXPECT_THROW(holt.encode(Bytes(8), Precision::Single, {2, 0, 115}), UsageError);
    EXPECT_THROW(holt.encode(Bytes(8), Precision::Single, {0, 0, 0}), UsageError);
  }
  static Sample usual() { return {halves(30'000), Precision::Single, {0.5, 0.5, 115}}; }
  /// 100 bytes a run, 107 in the worst case, 12 for size and offset.
  static Sample in_batches() { return {halves(4000), Precision::Single, {0.5, 0.5, 25}}; }
  static constexpr std::size_t kBatches[] = {1, 3, 33, 70, 159}, kPart = 219, kRest = 80;
  static constexpr const char* kTooLittle = "a run of the file needs 41262 bytes of its memory";
  static Sample too_large() { return {halves(5000), Precision::Single, {0, 0, 5000}}; }
  static constexpr std::size_t kMemory = 20'000;
  static Sample small() { return {halves(500)}; }
};

template <class Case>
auto emulated(const Options& options = {}) {
  return std::make_shared<typename Case::template On<EmulatedDevice>>(options);
}

/// The device encodes to the CPU's file, and decodes it.
template <class Case>
void expect_the_cpus_bytes(typename Case::Interface& device, const typename Case::Sample& sample) {
  const Bytes file = Case::encode(sample);
  ASSERT_EQ(Case::encode(device, sample), file) << Case::text(sample);
  ASSERT_EQ(device.decode(file, "x"), sample.input) << Case::text(sample);
}

template <class Case>
void expect_the_cpus_bytes_everywhere(typename Case::Interface& device) {
  Case::everywhere(
      [&](const typename Case::Sample& sample) { expect_the_cpus_bytes<Case>(device, sample); });
}

template <class Case>
void expect_the_cpus_bytes_of_made_sets(typename Case::Interface& device, std::size_t bytes) {
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    Case::of_set(
        data::make_input(set, bytes), set.dimensionality,
        [&](const typename Case::Sample& sample) { expect_the_cpus_bytes<Case>(device, sample); });
  }
}

/// The device reports the CPU's error for a file.
template <class Case>
void expect_the_cpus_error(typename Case::Interface& device, const Bytes& file) {
  const std::string expected = message_of([&] { Case::decode(file); });
  ASSERT_EQ(message_of([&] { device.decode(file, "x"); }), expected);
}

template <class Case>
void expect_damage_to_be_found(typename Case::Interface& device) {
  for (const auto& sample : Case::to_damage()) {
    const Bytes whole = Case::encode(sample);
    for (std::size_t at = 0; at < Case::kDamaged; ++at) {
      for (const unsigned flip : {0x01, 0x80, 0xff}) {
        Bytes file = whole;
        file[at] ^= std::byte(flip);
        expect_the_cpus_error<Case>(device, file);
      }
    }
    // The last codes need bytes far after the file's end, or fewer bytes.
    for (const unsigned byte : {0x77, 0xff, 0x00}) {
      Bytes file = whole;
      for (std::size_t i = 1; i <= 60; ++i) file[file.size() - i] = std::byte(byte);
      expect_the_cpus_error<Case>(device, file);
    }
    for (std::size_t size = 0; size < whole.size(); size += 23) {
      expect_the_cpus_error<Case>(device,
                                  Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size)));
    }
  }
  Case::refuses(device);
}

using Cases = ::testing::Types<GfcCase, HoltCase>;

template <class Case>
class BaselineDevice : public ::testing::Test {};
TYPED_TEST_SUITE(BaselineDevice, Cases);

TYPED_TEST(BaselineDevice, CpusBytes) {
  expect_the_cpus_bytes_everywhere<TypeParam>(*emulated<TypeParam>());
}

TYPED_TEST(BaselineDevice, CpusBytesOfMadeSets) {
  expect_the_cpus_bytes_of_made_sets<TypeParam>(*emulated<TypeParam>(), 8000);
}

TYPED_TEST(BaselineDevice, CpusBytesWhateverTheLaunch) {
  for (const std::uint32_t lanes : {32, 64}) {
    for (const std::uint32_t blocks : {1, 2, 50}) {
      Options options;
      options.lanes = lanes;
      options.resident_blocks = blocks;
      options.seed = 10 * lanes + blocks;
      expect_the_cpus_bytes<TypeParam>(*emulated<TypeParam>(options), TypeParam::usual());
    }
  }
}

TYPED_TEST(BaselineDevice, DamageIsFound) {
  expect_damage_to_be_found<TypeParam>(*emulated<TypeParam>());
}

TYPED_TEST(BaselineDevice, BatchesOfWholeParts) {
  const auto sample = TypeParam::in_batches();
  for (const std::size_t parts : TypeParam::kBatches) {
    Options options;
    options.memory_bytes = (TypeParam::kPart * parts + TypeParam::kRest) * 16 / 15;
    expect_the_cpus_bytes<TypeParam>(*emulated<TypeParam>(options), sample);
  }
  // Damage in a batch that is not the last one.
  Options options;
  options.memory_bytes = 20'000;
  Bytes damaged = TypeParam::encode(sample);
  damaged[damaged.size() / 3] ^= std::byte{0x33};
  expect_the_cpus_error<TypeParam>(*emulated<TypeParam>(options), damaged);
}

TYPED_TEST(BaselineDevice, TooLittleMemory) {
  Options options;
  options.memory_bytes = TypeParam::kMemory;
  const auto device = emulated<TypeParam>(options);
  EXPECT_TRUE(contains(message_of([&] { TypeParam::encode(*device, TypeParam::too_large()); }),
                       TypeParam::kTooLittle));
  expect_the_cpus_bytes<TypeParam>(*device, TypeParam::small());
}

TYPED_TEST(BaselineDevice, FailuresAreErrors) {
  const auto sample = TypeParam::small();
  for (int launches = 0; launches < 3; ++launches) {
    Options options;
    options.launches_before_failure = launches;
    const auto device = emulated<TypeParam>(options);
    EXPECT_THROW(TypeParam::encode(*device, sample), DeviceError) << launches;
    EXPECT_THROW(device->decode(TypeParam::encode(sample), "x"), DeviceError);
  }
}

TYPED_TEST(BaselineDevice, TimesAreOfTheLastCall) {
  const auto device = emulated<TypeParam>();
  const auto sample = TypeParam::small();
  TypeParam::encode(*device, sample);
  EXPECT_GT(device->times().kernel, 0);
  EXPECT_GT(device->times().to_device, 0);
  EXPECT_GT(device->times().to_host, 0);
  const double kernel = device->times().kernel;
  device->decode(TypeParam::encode(sample), "x");
  EXPECT_NE(device->times().kernel, kernel);
}

TYPED_TEST(BaselineDevice, WithoutCudaTheErrorNamesARemedy) {
  if (device::built_with_cuda()) GTEST_SKIP() << "built with CUDA";
  EXPECT_TRUE(contains(message_of([] { TypeParam::on({}); }), "--backend cpu"));
}

template <class Case>
class PTX_BaselineDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    FPSYNTH_NEEDS_PTX();
    device_ =
        std::make_shared<typename Case::template On<ptx::PtxDevice>>(ptx::PtxDevice::Options());
  }
  std::shared_ptr<typename Case::Interface> device_;
};
TYPED_TEST_SUITE(PTX_BaselineDevice, Cases);

TYPED_TEST(PTX_BaselineDevice, CpusBytes) {
  expect_the_cpus_bytes_everywhere<TypeParam>(*this->device_);
}

TYPED_TEST(PTX_BaselineDevice, CpusBytesOfMadeSets) {
  expect_the_cpus_bytes_of_made_sets<TypeParam>(*this->device_, 8000);
}

TYPED_TEST(PTX_BaselineDevice, DamageIsFound) {
  expect_damage_to_be_found<TypeParam>(*this->device_);
}

template <class Case>
class GPU_BaselineDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const auto devices = device::cuda_devices(&why);
    if (devices.empty()) GTEST_SKIP() << why;
    device_ = Case::on(devices.front());
  }
  std::shared_ptr<typename Case::Interface> device_;
};
TYPED_TEST_SUITE(GPU_BaselineDevice, Cases);

TYPED_TEST(GPU_BaselineDevice, CpusBytes) {
  expect_the_cpus_bytes_everywhere<TypeParam>(*this->device_);
}

TYPED_TEST(GPU_BaselineDevice, CpusBytesOfMadeSets) {
  expect_the_cpus_bytes_of_made_sets<TypeParam>(*this->device_, std::size_t{8} << 20);
}

TYPED_TEST(GPU_BaselineDevice, CpusBytesOfMuchData) {
  TypeParam::much([&](const typename TypeParam::Sample& sample) {
    expect_the_cpus_bytes<TypeParam>(*this->device_, sample);
  });
}

TYPED_TEST(GPU_BaselineDevice, DamageIsFound) {
  expect_damage_to_be_found<TypeParam>(*this->device_);
}

TYPED_TEST(GPU_BaselineDevice, RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  TypeParam::of_set(data::open_input(path), 2, [&](const typename TypeParam::Sample& sample) {
    expect_the_cpus_bytes<TypeParam>(*this->device_, sample);
  });
}

}  // namespace
}  // namespace fpsynth::baselines
