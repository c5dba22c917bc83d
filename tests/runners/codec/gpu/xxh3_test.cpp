#include "runners/codec/gpu/xxh3_launch.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "runners/device/emulated_device.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

std::uint64_t hash_on(device::EmulatedDevice& device, std::span<const std::byte> bytes) {
  device::EmulatedDevice::Stream stream;
  auto words = device.allocate<std::uint64_t>(hash_words(bytes.size()));
  std::uint64_t hash = 0;
  launch_hash(device, stream, bytes.data(), bytes.size(), words.data(), &hash);
  return hash;
}

TEST(DeviceHash, IsXxHashsOfShortInputs) {
  device::EmulatedDevice device;
  const Bytes data = noise(kShortestDeviceHash);
  for (std::size_t size = 0; size <= kShortestDeviceHash; ++size) {
    const std::span bytes = std::span(data).first(size);
    ASSERT_EQ(hash_on(device, bytes), XXH3_64bits(bytes.data(), size)) << size << " bytes";
  }
}

TEST(DeviceHash, IsXxHashs) {
  std::vector<std::size_t> sizes = {kShortestDeviceHash, 255, 256, 257, 1000, 1023, 1024, 1025};
  for (const std::size_t around : {1088, 2048, 3072, 8192, 256 * 1024, 257 * 1024}) {
    sizes.insert(sizes.end(), {around - 1, around, around + 1, around + 64, around + 65});
  }
  const Bytes data = noise(300 * 1024);
  for (const std::uint32_t lanes : {32, 64, 256}) {
    device::EmulatedDevice::Options options;
    options.lanes = lanes;
    device::EmulatedDevice device(options);
    for (const std::size_t size : sizes) {
      for (const std::size_t shift : {0, 1, 8}) {
        if (shift > 0 && lanes != 64) continue;
        const std::span bytes = std::span(data).subspan(shift, size);
        ASSERT_EQ(hash_on(device, bytes), XXH3_64bits(bytes.data(), size))
            << size << " bytes at " << shift << ", " << lanes << " lanes";
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::codec
