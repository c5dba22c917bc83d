// Steps of preludes as PTX, against the CPU's driver: with 256 lanes, tiles of 4352 words of lag 1.

#include <gtest/gtest.h>

#include "tests/runners/codec/gpu/prelude_on_device.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

ptx::PtxDevice ptx_device(std::uint32_t blocks = 3) {
  ptx::PtxDevice::Options options;
  options.resident_blocks = blocks;
  return ptx::PtxDevice(options);
}

TEST(PTX_DevicePrelude, LagsAreTheCpus) {
  FPSYNTH_NEEDS_PTX();
  for (const std::uint64_t lag : {1, 2, 5, 31, 33, 100, 255, 256, 257, 1000, 1024, 1025}) {
    for (const std::size_t n : {0, 1, 33, 1025}) {
      expect_the_cpus(ptx_device(), kind_of<preludes::LagSub>, lag, noise_of<std::uint64_t>(n));
    }
    expect_the_cpus(ptx_device(), kind_of<preludes::LagXor>, lag, noise_of<std::uint32_t>(9000));
  }
  // Sums, and columns in parts.
  for (const std::uint64_t lag : {1, 300}) {
    expect_the_cpus(ptx_device(20), kind_of<preludes::LagSub>, lag,
                    noise_of<std::uint64_t>(20'000));
    expect_the_cpus(ptx_device(20), kind_of<preludes::LagSub>, lag, noise_of<std::uint32_t>(20'000),
                    4);
    expect_the_cpus(ptx_device(20), kind_of<preludes::LagXor>, lag, noise_of<std::uint64_t>(9000),
                    1);
  }
}

template <class W>
void expect_other_steps_as_ptx(std::size_t n, std::size_t shift) {
  expect_the_cpus(ptx_device(), kind_of<preludes::Ord>, 0, noise_of<W>(n), shift);
  for (const std::uint64_t digits : {0, 2, 9}) {
    expect_the_cpus(ptx_device(), kind_of<preludes::Dec>, digits, decimals<W>(n, 20), shift);
  }
  expect_the_cpus(ptx_device(), kind_of<preludes::Dec>, 1, noise_of<W>(n), shift);
  expect_fractions<W>(ptx_device(), n, shift);
  expect_divisors<W>(ptx_device(), n, shift);
  expect_copies<W>(ptx_device(), n, shift);
  for (const std::uint64_t columns : {3, 40, 600}) {
    expect_the_cpus(ptx_device(), kind_of<preludes::Dim>, columns, noise_of<W>(n), shift);
  }
  expect_the_cpus(ptx_device(), kind_of<preludes::Dict>, 0, decimals<W>(n, 50), shift);
}

TEST(PTX_DevicePrelude, OtherStepsAreTheCpus) {
  FPSYNTH_NEEDS_PTX();
  for (const std::size_t n : {0, 1, 33, 1025, 5000}) {
    expect_other_steps_as_ptx<std::uint64_t>(n, 0);
    expect_other_steps_as_ptx<std::uint32_t>(n, 0);
  }
  expect_other_steps_as_ptx<std::uint64_t>(1500, 4);
  expect_other_steps_as_ptx<std::uint32_t>(1500, 1);
}

/// Accesses of warps to global memory for 32 words, both ways together, and cycles of shared memory
/// in excess of those without bank conflicts.
template <class W>
void expect_few_accesses(std::uint8_t kind, std::uint64_t parameter, double most) {
  constexpr std::size_t kWords = 50'000;
  ptx::Statistics counted;
  ptx::PtxDevice::Options options = ptx::counting(counted);
  options.resident_blocks = 20;
  expect_the_cpus(ptx::PtxDevice(options), kind, parameter, noise_of<W>(kWords));
  const std::string what = std::to_string(int(kind)) + ":" + std::to_string(parameter);
  EXPECT_LE(double(counted.global_accesses), most * kWords / 32) << what;
  EXPECT_LE(double(counted.shared_wavefronts), 1.5 * double(counted.ideal_wavefronts)) << what;
}

/// Words that are aligned are not moved byte by byte, which was once so: the compiler had made one
/// of both ways.
TEST(PTX_DevicePrelude, MovesWholeWords) {
  FPSYNTH_NEEDS_PTX();
  const auto expect = []<class W>() {
    // To map a word is to read and to write it; LAG also reads the word before, and to undo it
    // reads the words twice, or once if columns are long. Sums add a little.
    expect_few_accesses<W>(kind_of<preludes::Ord>, 0, 4.1);
    for (const std::uint64_t lag : {1, 5, 256, 300}) {
      expect_few_accesses<W>(kind_of<preludes::LagSub>, lag, 6.5);
    }
    expect_few_accesses<W>(kind_of<preludes::LagXor>, 10'000, 5.1);
    // To undo DIM, the words are copied first, which no kernel does; tiles begin anywhere, so that
    // some accesses are two, and a word of three columns needs a place of four.
    expect_few_accesses<W>(kind_of<preludes::Dim>, 3, 6);
    expect_few_accesses<W>(kind_of<preludes::Dim>, 306, 6);
  };
  expect.operator()<std::uint64_t>();
  expect.operator()<std::uint32_t>();
}

}  // namespace
}  // namespace fpsynth::codec
