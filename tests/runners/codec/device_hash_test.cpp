#include "runners/codec/device_hash.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "runners/device/emulated_device.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

std::uint64_t hash_on(device::EmulatedDevice& device, std::span<const std::byte> bytes) {
  device::EmulatedDevice::Stream stream;
  const HashKeys keys = HashKeys::standard();
  const std::uint64_t blocks = hash_blocks(bytes.size());
  auto sums = device.allocate<std::uint64_t>(8 * blocks);
  std::uint64_t hash = 0;
  if (blocks > 0) {
    device.launch<HashSumsBody>(stream, 3, 0, {bytes.data(), blocks, sums.data(), keys});
  }
  device.launch<HashChainBody>(stream, 1, HashChainBody::kSharedBytes,
                               {bytes.data(), bytes.size(), sums.data(), &hash, keys});
  return hash;
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
