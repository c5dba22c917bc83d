// Steps of preludes in a device's memory, against the CPU's driver.

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "components/preludes/registry.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/emulated/device.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;
using preludes::Dim, preludes::LagSub, preludes::LagXor, preludes::Ord;

/// Expects both directions of a step to give the CPU's words, `shift` bytes after an aligned place.
template <class Step, class W, class Device>
void expect_the_cpus(Device device, std::uint64_t parameter, std::size_t n, std::size_t shift = 0) {
  const std::string what = std::string(Step::type) + ":" + std::to_string(parameter) + " on " +
                           std::to_string(n) + " words of " + std::to_string(sizeof(W)) +
                           " bytes at " + std::to_string(shift);
  const std::size_t bytes = n * sizeof(W);
  const Bytes words = noise(bytes);
  Bytes expected(bytes), found(bytes);
  SideMemory<W> none;
  ASSERT_EQ(kPreludesBaseline.of<W>().forward(Step::wire, words.data(), expected.data(), n,
                                              parameter, 1, none.data),
            Status::Ok)
      << what;
  WordLauncher<Device, W> launcher(device);
  typename Device::Stream stream = device.make_stream();
  auto in = device.template allocate<std::byte>(bytes + 8);
  auto out = device.template allocate<std::byte>(bytes + 8);
  auto memory = device.template allocate<W>(launcher.template workspace<Step>(n, parameter));
  const auto expect = [&](const Bytes& right) {
    device.to_host(stream, found.data(), out.data() + shift, bytes);
    device.wait(stream);
    ASSERT_TRUE(found == right) << what;
  };
  device.to_device(stream, in.data() + shift, words.data(), bytes);
  launcher.template forward<Step>(stream, in.data() + shift, out.data() + shift, n, parameter);
  expect(expected);
  launcher.template backward<Step>(stream, out.data() + shift, n, parameter, memory.data());
  expect(words);
}

/// A device whose kernels run with `lanes` lanes, `blocks` blocks at once.
EmulatedDevice emulated(std::uint32_t lanes = 32, std::uint32_t blocks = 3) {
  EmulatedDevice::Options options;
  options.lanes = lanes;
  options.resident_blocks = blocks;
  return EmulatedDevice(options);
}

std::set<std::uint64_t> lags_of(std::uint64_t n) {
  std::set<std::uint64_t> lags = {
      1, 2, 5, 31, 32, 33, 1000, 5000, n, n + 1, std::uint64_t{1} << 48};
  if (n > 1) lags.insert(n - 1);
  return lags;
}

constexpr std::size_t kWordCounts[] = {0, 1, 31, 32, 33, 1023, 1024, 1025};

template <class W>
class DevicePrelude : public ::testing::Test {};
using Words = ::testing::Types<std::uint64_t, std::uint32_t, std::uint16_t>;
TYPED_TEST_SUITE(DevicePrelude, Words);

TYPED_TEST(DevicePrelude, LagsAreTheCpus) {
  for (const std::uint32_t lanes : {1, 32, 64}) {
    EmulatedDevice::Options options;
    options.lanes = lanes;
    for (const std::size_t n : kWordCounts) {
      for (const std::uint64_t lag : lags_of(n)) {
        expect_the_cpus<LagSub, TypeParam>(EmulatedDevice(options), lag, n);
        if (n % 31 == 0) expect_the_cpus<LagXor, TypeParam>(EmulatedDevice(options), lag, n);
      }
    }
  }
}

TEST(DeviceLags, OfLongInputsAreTheCpus) {
  const std::size_t n = 100'000;
  for (const std::uint64_t lag : lags_of(n)) {
    expect_the_cpus<LagSub, std::uint64_t>(emulated(), lag, n);
    expect_the_cpus<LagXor, std::uint32_t>(emulated(), lag, n);
  }
  // Every lag about the number of lanes, and columns cut into few and many parts.
  for (const std::uint64_t lag : {3, 7, 16, 17, 63, 64, 65, 100, 255, 256, 257}) {
    expect_the_cpus<LagSub, std::uint64_t>(emulated(64), lag, n);
    expect_the_cpus<LagXor, std::uint64_t>(emulated(32, 100), lag, n);
    expect_the_cpus<LagSub, std::uint32_t>(emulated(32, 100), lag, n);
  }
}

TEST(DeviceLags, ThatNeedSumsOfSumsAreTheCpus) {
  // With one lane a tile has 17 words: 20,000 of them are 1,177 sums, which are 70 sums, and so on.
  expect_the_cpus<LagSub, std::uint64_t>(emulated(1), 1, 20'000);
  // 40 columns of 2,500 rows in 80 parts of 32 rows, whose sums are in 5 parts.
  EmulatedDevice device = emulated(32, 100);
  WordLauncher<EmulatedDevice, std::uint64_t> launcher(device);
  const std::uint64_t sums = launcher.workspace<LagSub>(100'000, 40);
  EXPECT_GT(sums, 79u * 40);
  EXPECT_LT(sums, 100'000u / 16);
  expect_the_cpus<LagSub, std::uint64_t>(device, 40, 100'000);
}

template <class W, class Device>
void expect_other_steps(const Device& device, std::size_t n, std::size_t shift = 0) {
  expect_the_cpus<Ord, W>(device, 0, n, shift);
  for (const std::uint64_t columns : {2, 3, 31, 32, 33, 500, 1024}) {
    expect_the_cpus<Dim, W>(device, columns, n, shift);
    if (n > columns + 1) expect_the_cpus<Dim, W>(device, n - columns, n, shift);
  }
}

TYPED_TEST(DevicePrelude, OtherStepsAreTheCpus) {
  for (const std::size_t n : kWordCounts) expect_other_steps<TypeParam>(emulated(), n);
  expect_other_steps<TypeParam>(emulated(), 100'000);
}

TYPED_TEST(DevicePrelude, WordsNeedNotBeAligned) {
  for (const std::size_t shift : {1, 4, 7}) {
    expect_other_steps<TypeParam>(emulated(), 1025, shift);
    for (const std::uint64_t lag : {1, 40}) {
      expect_the_cpus<LagSub, TypeParam>(emulated(), lag, 3000, shift);
      expect_the_cpus<LagXor, TypeParam>(emulated(32, 100), lag, 3000, shift);
    }
  }
}

ptx::PtxDevice ptx_device(std::uint32_t blocks = 3) {
  ptx::PtxDevice::Options options;
  options.resident_blocks = blocks;
  return ptx::PtxDevice(options);
}

/// With 256 lanes, tiles have 4352 words of lag 1.
TEST(PTX_DevicePrelude, LagsAreTheCpus) {
  FPSYNTH_NEEDS_PTX();
  for (const std::uint64_t lag : {1, 2, 5, 31, 33, 100, 255, 256, 257, 1000, 1024, 1025}) {
    for (const std::size_t n : {0, 1, 33, 1025}) {
      expect_the_cpus<LagSub, std::uint64_t>(ptx_device(), lag, n);
    }
    expect_the_cpus<LagXor, std::uint32_t>(ptx_device(), lag, 9000);
    expect_the_cpus<LagSub, std::uint16_t>(ptx_device(), lag, 3000);
  }
  // Sums, and columns in parts.
  for (const std::uint64_t lag : {1, 300}) {
    expect_the_cpus<LagSub, std::uint64_t>(ptx_device(20), lag, 20'000);
    expect_the_cpus<LagSub, std::uint32_t>(ptx_device(20), lag, 20'000, 4);
    expect_the_cpus<LagXor, std::uint64_t>(ptx_device(20), lag, 9000, 1);
    expect_the_cpus<LagXor, std::uint16_t>(ptx_device(20), lag, 9000, 3);
  }
}

TEST(PTX_DevicePrelude, OtherStepsAreTheCpus) {
  FPSYNTH_NEEDS_PTX();
  for (const std::size_t n : {0, 1, 33, 1025, 5000}) {
    expect_other_steps<std::uint64_t>(ptx_device(), n);
    expect_other_steps<std::uint32_t>(ptx_device(), n);
    expect_other_steps<std::uint16_t>(ptx_device(), n);
  }
  expect_other_steps<std::uint64_t>(ptx_device(), 1500, 4);
  expect_other_steps<std::uint32_t>(ptx_device(), 1500, 1);
  expect_other_steps<std::uint16_t>(ptx_device(), 1500, 5);
}

/// Accesses of warps to global memory for 32 words, both ways together, and cycles of shared memory
/// in excess of those without bank conflicts.
template <class Step, class W>
void expect_few_accesses(std::uint64_t parameter, double most) {
  constexpr std::size_t kWords = 50'000;
  ptx::Statistics counted;
  ptx::PtxDevice::Options options = ptx::counting(counted);
  options.resident_blocks = 20;
  expect_the_cpus<Step, W>(ptx::PtxDevice(options), parameter, kWords);
  const std::string what = std::string(Step::type) + ":" + std::to_string(parameter);
  EXPECT_LE(double(counted.global_accesses), most * kWords / 32) << what;
  // A bank holds two words of 2 bytes.
  const double conflicts = sizeof(W) == 2 ? 1.6 : 1.5;
  EXPECT_LE(double(counted.shared_wavefronts), conflicts * double(counted.ideal_wavefronts))
      << what;
}

/// Words that are aligned are not moved byte by byte, which was once so: the compiler had made one
/// of both ways.
TEST(PTX_DevicePrelude, MovesWholeWords) {
  FPSYNTH_NEEDS_PTX();
  const auto expect = []<class W>() {
    // To map a word is to read and to write it; LAG also reads the word before, and to undo it
    // reads the words twice, or once if columns are long. Sums add a little.
    expect_few_accesses<Ord, W>(0, 4.1);
    for (const std::uint64_t lag : {1, 5, 256, 300}) expect_few_accesses<LagSub, W>(lag, 6.5);
    expect_few_accesses<LagXor, W>(10'000, 5.1);
    // To undo DIM, the words are copied first, which no kernel does; tiles begin anywhere, so that
    // some accesses are two, and a word of three columns needs a place of four.
    expect_few_accesses<Dim, W>(3, 6);
    expect_few_accesses<Dim, W>(306, 6);
  };
  expect.operator()<std::uint64_t>();
  expect.operator()<std::uint32_t>();
  expect.operator()<std::uint16_t>();
}

}  // namespace
}  // namespace fpsynth::codec
