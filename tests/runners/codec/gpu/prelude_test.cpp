// Steps of preludes in a device's memory, against the CPU's driver.

#include "runners/codec/gpu/preludes/prelude_on.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runners/codec/gpu/files.hpp"
#include "runners/device/emulated_device.hpp"
#include "tests/runners/codec/gpu/prelude_on_device.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;

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

template <class W, class Device, class... Options>
void expect_lags_on_all_sizes(const Options&... options) {
  for (const std::size_t n : kWordCounts) {
    for (const std::uint64_t lag : lags_of(n)) {
      expect_the_cpus<W>(Device(options...), kind_of<preludes::LagSub>, lag, noise_of<W>(n));
      if (n % 31 == 0) {
        expect_the_cpus<W>(Device(options...), kind_of<preludes::LagXor>, lag, noise_of<W>(n));
      }
    }
  }
}

TEST(DevicePrelude, LagsAreTheCpus) {
  for (const std::uint32_t lanes : {1, 32, 64}) {
    EmulatedDevice::Options options;
    options.lanes = lanes;
    expect_lags_on_all_sizes<std::uint64_t, EmulatedDevice>(options);
    expect_lags_on_all_sizes<std::uint32_t, EmulatedDevice>(options);
  }
}

TEST(DevicePrelude, LagsOfLongInputsAreTheCpus) {
  const std::size_t n = 100'000;
  const auto wide = noise_of<std::uint64_t>(n);
  const auto narrow = noise_of<std::uint32_t>(n);
  for (const std::uint64_t lag : lags_of(n)) {
    expect_the_cpus(emulated(), kind_of<preludes::LagSub>, lag, wide);
    expect_the_cpus(emulated(), kind_of<preludes::LagXor>, lag, narrow);
  }
  // Every lag about the number of lanes, and columns cut into few and many parts.
  for (const std::uint64_t lag : {3, 7, 16, 17, 63, 64, 65, 100, 255, 256, 257}) {
    expect_the_cpus(emulated(64), kind_of<preludes::LagSub>, lag, wide);
    expect_the_cpus(emulated(32, 100), kind_of<preludes::LagXor>, lag, wide);
    expect_the_cpus(emulated(32, 100), kind_of<preludes::LagSub>, lag, narrow);
  }
}

TEST(DevicePrelude, LagsThatNeedSumsOfSumsAreTheCpus) {
  // With one lane a tile has 17 words: 20,000 of them are 1,177 sums, which are 70 sums, and so on.
  expect_the_cpus(emulated(1), kind_of<preludes::LagSub>, 1, noise_of<std::uint64_t>(20'000));
  // 40 columns of 2,500 rows in 80 parts of 32 rows, whose sums are in 5 parts.
  EmulatedDevice device = emulated(32, 100);
  WordLauncher<EmulatedDevice, std::uint64_t> launcher(device);
  const std::uint64_t sums = launcher.sum_workspace<preludes::LagSub>(100'000, 40);
  EXPECT_GT(sums, 79u * 40);
  EXPECT_LT(sums, 100'000u / 16);
  expect_the_cpus(device, kind_of<preludes::LagSub>, 40, noise_of<std::uint64_t>(100'000));
}

template <class W>
void expect_other_steps(std::size_t n, std::size_t shift = 0) {
  expect_the_cpus<W>(emulated(), kind_of<preludes::Ord>, 0, noise_of<W>(n), shift);
  for (const unsigned every : {2, 100, 5000, 1'000'000'000}) {
    expect_the_cpus<W>(emulated(), kind_of<preludes::Dec>, 2, decimals<W>(n, every), shift);
  }
  expect_fractions<W>(emulated(), n, shift);
  expect_divisors<W>(emulated(), n, shift);
  expect_copies<W>(emulated(), n, shift);
  for (const std::uint64_t columns : {2, 3, 31, 32, 33, 500, 1024}) {
    expect_the_cpus<W>(emulated(), kind_of<preludes::Dim>, columns, noise_of<W>(n), shift);
    if (n > columns + 1) {
      expect_the_cpus<W>(emulated(), kind_of<preludes::Dim>, n - columns, noise_of<W>(n), shift);
    }
  }
  expect_the_cpus<W>(emulated(), kind_of<preludes::Dict>, 0, decimals<W>(n, 50), shift);
  expect_the_cpus<W>(emulated(), kind_of<preludes::Dict>, 0, noise_of<W>(n), shift);
  expect_the_cpus<W>(emulated(), kind_of<preludes::Dict>, 0, std::vector<W>(n, W{5}), shift);
}

TEST(DevicePrelude, OtherStepsAreTheCpus) {
  for (const std::size_t n : kWordCounts) {
    expect_other_steps<std::uint64_t>(n);
    expect_other_steps<std::uint32_t>(n);
  }
  expect_other_steps<std::uint64_t>(100'000);
  expect_other_steps<std::uint32_t>(100'000);
}

TEST(DevicePrelude, EveryNumberOfDigitsIsTheCpus) {
  std::vector<std::uint64_t> wide = noise_of<std::uint64_t>(300);
  for (const std::uint64_t word : decimals<std::uint64_t>(300, 9)) wide.push_back(word);
  std::vector<std::uint32_t> narrow = noise_of<std::uint32_t>(300);
  for (const std::uint32_t word : decimals<std::uint32_t>(300, 9)) narrow.push_back(word);
  const auto expect = [&]<class Step>() {
    for (auto d = Step::template range<std::uint64_t>.least;
         d <= Step::template range<std::uint64_t>.most; ++d) {
      expect_the_cpus(emulated(), Step::wire, d, wide);
      if (d <= Step::template range<std::uint32_t>.most) {
        expect_the_cpus(emulated(), Step::wire, d, narrow);
      }
    }
  };
  expect.operator()<preludes::Dec>();
}

TEST(DevicePrelude, WordsNeedNotBeAligned) {
  for (const std::size_t shift : {1, 4, 7}) {
    expect_other_steps<std::uint64_t>(1025, shift);
    expect_other_steps<std::uint32_t>(1025, shift);
    for (const std::uint64_t lag : {1, 40}) {
      expect_the_cpus(emulated(), kind_of<preludes::LagSub>, lag, noise_of<std::uint64_t>(3000),
                      shift);
      expect_the_cpus(emulated(32, 100), kind_of<preludes::LagXor>, lag,
                      noise_of<std::uint32_t>(3000), shift);
    }
  }
}

/// Keys with the bits that a free slot of the hash table has, and many that hash alike.
TEST(DevicePrelude, RanksOfHostileWordsAreTheCpus) {
  std::vector<std::uint64_t> free_slot(100, preludes::Dict::word(~std::uint64_t{0}));
  expect_the_cpus(emulated(), kind_of<preludes::Dict>, 0, free_slot);
  free_slot[50] = 1;
  expect_the_cpus(emulated(), kind_of<preludes::Dict>, 0, free_slot);
  expect_the_cpus(emulated(), kind_of<preludes::Dict>, 0,
                  std::vector<std::uint32_t>(100, preludes::Dict::word(~std::uint32_t{0})));
  // 0x9e3779b97f4a7c15 has an inverse modulo 2^64, so keys can be made for any hash.
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15u * inverse;
  std::vector<std::uint64_t> alike;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    alike.push_back(preludes::Dict::word((i + (std::uint64_t{99} << 52)) * inverse));
  }
  expect_the_cpus(emulated(), kind_of<preludes::Dict>, 0, alike);
}

TEST(DevicePrelude, BlocksAndCopiesAreTheCpusOnAnyNumberOfLanes) {
  for (const std::uint32_t lanes : {1, 64}) {
    expect_fractions<std::uint64_t>(emulated(lanes), 5000, 0);
    expect_fractions<std::uint32_t>(emulated(lanes), 5000, 0);
    expect_divisors<std::uint32_t>(emulated(lanes), 5000, 0);
    expect_copies<std::uint32_t>(emulated(lanes), 5000, 0);
  }
}

template <class W>
Status backward_on_device(std::uint8_t kind, std::uint64_t parameter, std::vector<W>& words,
                          const SideData<W>& side) {
  EmulatedDevice device = emulated();
  PreludeOn<EmulatedDevice, W> prelude(device);
  EmulatedDevice::Stream stream;
  WordsOn<EmulatedDevice, W> on_device(device, words, 0);
  const Status status =
      prelude.backward(stream, kind, on_device.data(), words.size(), parameter, side);
  words = on_device.words();
  return status;
}

/// Expects the CPU's status, and if it is Ok the CPU's words.
template <class W>
void expect_the_cpus_verdict(std::uint8_t kind, std::uint64_t parameter, std::vector<W> words,
                             std::vector<W> values, std::vector<std::uint64_t> positions,
                             Status wanted, const preludes::Divisors& divisors = {},
                             std::vector<std::uint32_t> selectors = {}) {
  const SideData<W> side{values.data(),    positions.empty() ? nullptr : positions.data(),
                         values.size(),    divisors,
                         selectors.data(), selectors.size()};
  std::vector<W> expected = words;
  EXPECT_EQ(kPreludesBaseline.of<W>().backward(kind, reinterpret_cast<std::byte*>(expected.data()),
                                               words.size(), parameter, 1, side),
            wanted);
  EXPECT_EQ(backward_on_device(kind, parameter, words, side), wanted);
  if (wanted == Status::Ok) {
    EXPECT_EQ(words, expected);
  }
}

template <class W>
void expect_forged_side_data_to_be_refused() {
  const auto ranks = [](std::vector<W> words, std::vector<W> keys, Status wanted) {
    expect_the_cpus_verdict<W>(kind_of<preludes::Dict>, 0, std::move(words), std::move(keys), {},
                               wanted);
  };
  std::vector<W> words(2000, W{1});
  ranks(words, {3, 4, 5}, Status::Ok);
  ranks(words, {}, Status::Damaged);
  ranks({}, {}, Status::Ok);
  ranks({}, {1}, Status::Damaged);
  ranks(words, {3, 3, 5}, Status::Damaged);
  ranks(words, {3, 5, 4}, Status::Damaged);
  ranks(words, {3}, Status::Damaged);
  words[1999] = W(-1);
  ranks(words, {3, 4, 5}, Status::Damaged);
  words[1999] = 3;
  ranks(words, {3, 4, 5}, Status::Damaged);
  words[1999] = 2;
  ranks(words, {3, 4, 5}, Status::Ok);

  const auto exceptions = [](std::vector<W> values, std::vector<std::uint64_t> positions,
                             Status wanted) {
    expect_the_cpus_verdict<W>(kind_of<preludes::Dec>, 1, noise_of<W>(1500), std::move(values),
                               std::move(positions), wanted);
  };
  exceptions({}, {}, Status::Ok);
  exceptions({7, 8}, {0, 1499}, Status::Ok);
  exceptions({7, 8}, {0, 1500}, Status::Damaged);
  exceptions({7, 8}, {0, ~std::uint64_t{0}}, Status::Damaged);
  exceptions({7, 8}, {5, 5}, Status::Damaged);
  exceptions({7, 8}, {6, 5}, Status::Damaged);
  exceptions({7, 8, 9}, {1, 2, 1}, Status::Damaged);

  const auto divisors = [](std::vector<W> of, Status wanted) {
    expect_the_cpus_verdict<W>(kind_of<preludes::Gcd>, 512, noise_of<W>(1000), std::move(of), {},
                               wanted);
  };
  divisors({0, W(-1)}, Status::Ok);
  divisors({1}, Status::Damaged);
  divisors({1, 2, 3}, Status::Damaged);

  const auto fractions = [](std::vector<std::uint32_t> selectors,
                            std::vector<std::uint64_t> positions, Status wanted) {
    std::vector<W> values(positions.size(), W{7});
    expect_the_cpus_verdict<W>(kind_of<preludes::Rat>, 512, noise_of<W>(2500), std::move(values),
                               std::move(positions), wanted, preludes::Divisors(3, 5),
                               std::move(selectors));
  };
  fractions({0x02010002, 1}, {0, 2499}, Status::Ok);
  fractions({0x02010002, 1}, {0, 2500}, Status::Damaged);
  fractions({0x03010002, 1}, {}, Status::Damaged);
  fractions({0x02010002, 0xff}, {}, Status::Damaged);
  fractions({0x02010002}, {}, Status::Damaged);
  fractions({0x02010002, 1, 1}, {}, Status::Damaged);
  fractions({}, {}, Status::Damaged);

  const auto copies = [](std::vector<std::uint32_t> numbers, Status wanted) {
    expect_the_cpus_verdict<W>(kind_of<preludes::Match>, 0, noise_of<W>(500), {}, {}, wanted, {},
                               std::move(numbers));
  };
  copies({}, Status::Ok);
  copies({100, 100, 40, 72, ~0u - 59, 40u - 68u}, Status::Ok);
  copies({100, 100, 40, 72, ~0u - 59, 40u - 69u}, Status::Damaged);
  copies({100, 100, 40, 71, ~0u - 59, 40u - 68u}, Status::Damaged);
  copies({100, 100, 440, 472, ~0u - 59, 440u - 68u}, Status::Damaged);
  copies({100, 40}, Status::Damaged);
  copies({~0u, ~0u, ~0u}, Status::Damaged);
  copies(std::vector<std::uint32_t>(2000), Status::Damaged);
}

TEST(DevicePrelude, ForgedSideDataAreRefused) {
  expect_forged_side_data_to_be_refused<std::uint64_t>();
  expect_forged_side_data_to_be_refused<std::uint32_t>();
  std::vector<std::uint64_t> words(3);
  EXPECT_EQ(backward_on_device<std::uint64_t>(99, 0, words, {}), Status::BadCall);
}

TEST(DevicePrelude, TooLittleMemoryIsSaid) {
  EmulatedDevice::Options options;
  options.memory_bytes = 50'000;
  EmulatedDevice device(options);
  PreludeOn<EmulatedDevice, std::uint64_t> prelude(device);
  EmulatedDevice::Stream stream;
  WordsOn<EmulatedDevice, std::uint64_t> in(device, noise_of<std::uint64_t>(2000), 0),
      out(device, std::vector<std::uint64_t>(2000), 0);
  SideMemory<std::uint64_t> side;
  try {
    prelude.forward(stream, kind_of<preludes::Dict>, in.data(), out.data(), 2000, 0, side.data);
    FAIL() << "the hash table needs more";
  } catch (const device::DeviceUnsuitable& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("MiB of device memory"), what.npos) << what;
    EXPECT_NE(what.find("--backend cpu"), what.npos) << what;
  }
}

}  // namespace
}  // namespace fpsynth::codec
