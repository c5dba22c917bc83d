// Compares the PTX of every operation of components/teams/cuda.cuh with the emulated hardware.

#include "tests/ptx/collectives.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/emulated/device.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::ptx {
namespace {

struct Answers {
  std::vector<std::uint64_t> lanes, published;
  CollectivesKernel::Totals totals;
};

template <class Device>
Answers ask(const typename Device::Options& options) {
  using K = CollectivesKernel;
  constexpr std::uint32_t kBlocks = 7;
  Device device(options);
  typename Device::Stream stream = device.make_stream();
  Answers found;
  found.lanes.resize(std::size_t{kBlocks} * K::kLanes * K::kAnswers);
  found.published.resize(kBlocks);
  auto lanes = device.template allocate<std::uint64_t>(found.lanes.size());
  auto totals = device.template allocate<K::Totals>(1);
  auto published = device.template allocate<std::uint64_t>(kBlocks);
  device.clear(stream, lanes.data(), lanes.size());
  device.clear(stream, totals.data(), 1);
  device.clear(stream, published.data(), kBlocks);
  device.template launch<K>(stream, kBlocks, K::kSharedBytes,
                            {lanes.data(), totals.data(), published.data()});
  device.to_host(stream, found.lanes.data(), lanes.data(), lanes.size());
  device.to_host(stream, &found.totals, totals.data(), 1);
  device.to_host(stream, found.published.data(), published.data(), kBlocks);
  return found;
}

TEST(PTX_Collectives, AnswerAsTheEmulatedOnesDo) {
  FPSYNTH_NEEDS_PTX();
  device::EmulatedDevice::Options emulation;
  emulation.lanes = 0;
  const Answers expected = ask<device::EmulatedDevice>(emulation);
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    PtxDevice::Options options;
    options.seed = seed;
    options.resident_blocks = 1 + seed;
    const Answers got = ask<PtxDevice>(options);
    EXPECT_EQ(got.lanes, expected.lanes) << seed;
    EXPECT_EQ(got.published, expected.published) << seed;
    EXPECT_EQ(std::memcmp(&got.totals, &expected.totals, sizeof(got.totals)), 0) << seed;
  }
  EXPECT_EQ(expected.published.back(), 1u << 7);
}

}  // namespace
}  // namespace fpsynth::ptx
