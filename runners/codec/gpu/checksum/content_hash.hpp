#pragma once
// The container's checksum of content in a GPU's memory: XXH3-64 of the list of its segments'
// XXH3-64s. The kernel, and how it is launched on any kind of device.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/gpu/checksum/xxh3_warp.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// Computes the XXH3-64 of every part of `in`, a warp for each.
struct HashKernel {
  /// Few, so that the segments of a few megabytes occupy all multiprocessors.
  static constexpr std::uint32_t kLanes = 64;

  struct Args {
    const std::byte* in;
    std::uint64_t bytes;
    std::uint64_t part_bytes;  ///< the last part has what is left
    std::uint64_t parts;
    std::uint64_t* hashes;  ///< receives one per part
    HashKeys keys;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const std::uint32_t warps_in_block = hardware.lanes() / 32;
    const std::uint64_t warps = std::uint64_t{hardware.blocks()} * warps_in_block;
    for (std::uint64_t part =
             std::uint64_t{hardware.block()} * warps_in_block + hardware.lane() / 32;
         part < args.parts; part += warps) {
      const std::uint64_t at = part * args.part_bytes, left = args.bytes - at;
      const std::uint64_t hash = WarpHash::of(
          hardware, args.in + at, left < args.part_bytes ? left : args.part_bytes, args.keys);
      if (hardware.lane() % 32 == 0) args.hashes[part] = hash;
    }
  }
};

/// Number of 64-bit words of device memory that the checksum of `bytes` bytes needs: the list.
inline std::size_t hash_words(std::size_t bytes) {
  return static_cast<std::size_t>(segment_count(bytes));
}

/// Writes the checksum of in[0..bytes) to *hash. Puts work into the stream and does not wait. All
/// pointers are to device memory; `words` has hash_words(bytes) words. Devices are little-endian,
/// so that the words are the list's bytes.
template <device::Device Device>
void launch_hash(Device& device, typename Device::Stream& stream, const std::byte* in,
                 std::size_t bytes, std::uint64_t* words, std::uint64_t* hash) {
  const HashKeys keys = HashKeys::standard();
  const std::uint64_t segments = segment_count(bytes);
  if (segments > 0) {
    const std::uint32_t warps = device.template lanes<HashKernel>() / 32;
    const auto wanted = std::min<std::uint64_t>(device.template resident_blocks<HashKernel>(0),
                                                (segments + warps - 1) / warps);
    device.template launch<HashKernel>(stream, static_cast<std::uint32_t>(wanted), 0,
                                       {in, bytes, kSegmentBytes, segments, words, keys});
  }
  const std::uint64_t list = 8 * segments;
  device.template launch<HashKernel>(
      stream, 1, 0, {reinterpret_cast<const std::byte*>(words), list, list, 1, hash, keys});
}

}  // namespace fpsynth::codec
