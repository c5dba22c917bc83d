#include "runners/codec/gpu/content_hash.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "runners/codec/format/content_hash.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

device::EmulatedDevice device_of(std::uint32_t lanes) {
  device::EmulatedDevice::Options options;
  options.lanes = lanes;
  return device::EmulatedDevice(options);
}

/// The XXH3-64s of the parts of `bytes`.
std::vector<std::uint64_t> hashes_on(device::EmulatedDevice& device,
                                     std::span<const std::byte> bytes, std::size_t part) {
  device::EmulatedDevice::Stream stream;
  const std::size_t parts = bytes.empty() ? 1 : (bytes.size() + part - 1) / part;
  std::vector<std::uint64_t> hashes(parts);
  device.launch<HashKernel>(
      stream, 2, 0, {bytes.data(), bytes.size(), part, parts, hashes.data(), HashKeys::standard()});
  return hashes;
}

TEST(DeviceHash, IsXxHashsOfShortInputs) {
  device::EmulatedDevice device;
  const Bytes data = noise(kShortestDeviceHash);
  for (std::size_t size = 0; size <= kShortestDeviceHash; ++size) {
    const std::span bytes = std::span(data).first(size);
    ASSERT_EQ(hashes_on(device, bytes, 1000).at(0), XXH3_64bits(bytes.data(), size))
        << size << " bytes";
  }
}

TEST(DeviceHash, IsXxHashs) {
  std::vector<std::size_t> sizes = {kShortestDeviceHash, 255, 256, 257, 1000, 1023, 1024, 1025};
  for (const std::size_t around : {1088, 2048, 3072, 4096, 5120, 6144, 8192, 65536}) {
    sizes.insert(sizes.end(), {around - 1, around, around + 1, around + 64, around + 65});
  }
  const Bytes data = noise(70 * 1024);
  for (const std::uint32_t lanes : {32, 64}) {
    device::EmulatedDevice device = device_of(lanes);
    for (const std::size_t size : sizes) {
      for (const std::size_t shift : {0, 1, 8}) {
        if (shift > 0 && lanes != 64) continue;
        const std::span bytes = std::span(data).subspan(shift, size);
        ASSERT_EQ(hashes_on(device, bytes, size).at(0), XXH3_64bits(bytes.data(), size))
            << size << " bytes at " << shift << ", " << lanes << " lanes";
      }
    }
  }
}

TEST(DeviceHash, HashesEveryPart) {
  const Bytes data = noise(9000);
  for (const std::size_t part : {100, 300, 1024, 4500}) {
    device::EmulatedDevice device = device_of(64);
    const auto hashes = hashes_on(device, data, part);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const auto bytes = std::span(data).subspan(i * part).first(std::min(part, 9000 - i * part));
      ASSERT_EQ(hashes[i], XXH3_64bits(bytes.data(), bytes.size())) << i << " of " << part;
    }
  }
}

/// Compares the checksum of in[shift..shift + size).
template <class Device>
void expect_the_containers(Device device, const Bytes& data, std::size_t size,
                           std::size_t shift = 0) {
  typename Device::Stream stream = device.make_stream();
  auto in = device.template allocate<std::byte>(size + shift);
  auto words = device.template allocate<std::uint64_t>(hash_words(size));
  auto hash = device.template allocate<std::uint64_t>(1);
  std::uint64_t found = 0;
  device.to_device(stream, in.data(), data.data(), size + shift);
  launch_hash(device, stream, in.data() + shift, size, words.data(), hash.data());
  device.to_host(stream, &found, hash.data(), 1);
  device.wait(stream);
  EXPECT_EQ(found, ContentHash::of(std::span(data).subspan(shift, size)))
      << size << " bytes at " << shift;
}

TEST(DeviceHash, IsTheContainersChecksum) {
  const Bytes data = noise(40 * kSegmentBytes + 9);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, kSegmentBytes - 1, kSegmentBytes, kSegmentBytes + 1,
        3 * kSegmentBytes + 100, 40 * kSegmentBytes + 9}) {
    for (const std::uint32_t lanes : {32, 64}) expect_the_containers(device_of(lanes), data, size);
  }
}

TEST(PTX_DeviceHash, IsTheContainersChecksum) {
  FPSYNTH_NEEDS_PTX();
  const Bytes data = noise(3 * kSegmentBytes + 300);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{17}, std::size_t{240}, std::size_t{241}, std::size_t{5000},
        kSegmentBytes, 2 * kSegmentBytes + 100, 3 * kSegmentBytes + 241}) {
    expect_the_containers(ptx::PtxDevice(ptx::PtxDevice::Options()), data, size);
  }
  for (const std::size_t shift : {1, 8}) {
    expect_the_containers(ptx::PtxDevice(ptx::PtxDevice::Options()), data, 5001, shift);
  }
}

/// So that the checksum is no slower than reading memory: at four warp instructions a cycle and 200
/// of them for a KiB, a multiprocessor hashes 20 bytes a cycle, some 35 GB/s.
TEST(PTX_DeviceHash, TakesFewInstructions) {
  FPSYNTH_NEEDS_PTX();
  const Bytes data = noise(4 * kSegmentBytes);
  ptx::Statistics counted;
  expect_the_containers(ptx::PtxDevice(ptx::counting(counted)), data, data.size());
  const std::uint64_t kib = data.size() / 1024;
  EXPECT_LT(counted.instructions, 200 * kib) << counted.instructions / kib << " for a KiB";
  EXPECT_LE(counted.global_accesses, 6 * kib);
  RecordProperty("instructions_per_kib", static_cast<int>(counted.instructions / kib));
}

}  // namespace
}  // namespace fpsynth::codec
