#pragma once
// Launches of the checksum's kernels, on any kind of device.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runners/codec/gpu/xxh3.hpp"
#include "runners/codec/gpu/xxh3_short.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Number of 64-bit words of device memory that the hash of `bytes` bytes needs.
inline std::size_t hash_words(std::size_t bytes) {
  return bytes < kShortestDeviceHash ? 0 : 8 * hash_blocks(bytes);
}

/// Writes the hash of in[0..bytes) to *hash. Puts work into the stream and does
/// not wait. All pointers are to device memory; `words` has hash_words(bytes) words.
template <device::Device Device>
void launch_hash(Device& device, typename Device::Stream& stream, const std::byte* in,
                 std::size_t bytes, std::uint64_t* words, std::uint64_t* hash) {
  const HashKeys keys = HashKeys::standard();
  if (bytes < kShortestDeviceHash) {
    device.template launch<ShortHashBody>(stream, 1, 0,
                                          {in, static_cast<std::uint32_t>(bytes), hash, keys});
    return;
  }
  const std::uint64_t blocks = hash_blocks(bytes);
  if (blocks > 0) {
    const std::uint32_t warps = device.template lanes<HashSumsBody>() / 32;
    const auto wanted = std::min<std::uint64_t>(device.template resident_blocks<HashSumsBody>(0),
                                                (blocks + warps - 1) / warps);
    device.template launch<HashSumsBody>(stream, static_cast<std::uint32_t>(wanted), 0,
                                         {in, blocks, words, keys});
  }
  device.template launch<HashChainBody>(stream, 1, HashChainBody::kSharedBytes,
                                        {in, bytes, words, hash, keys});
}

}  // namespace fpsynth::codec
