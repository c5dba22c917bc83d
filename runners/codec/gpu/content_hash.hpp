#pragma once
// The container's checksum of content in a GPU's memory: XXH3-64 (seed 0) of the list of its
// segments' XXH3-64s. The kernel, and how it is launched on any kind of device.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/device/device_concept.hpp"

namespace fpsynth::codec {

/// The 64-bit words of XXH3's default secret, grouped by their use.
struct HashKeys {
  static constexpr std::uint32_t kLanes = 8, kStripes = 16;
  static constexpr std::uint64_t kPrime32_1 = 0x9e3779b1, kPrime32_2 = 0x85ebca77,
                                 kPrime32_3 = 0xc2b2ae3d;
  static constexpr std::uint64_t kPrime64_1 = 0x9e3779b185ebca87, kPrime64_2 = 0xc2b2ae3d27d4eb4f,
                                 kPrime64_3 = 0x165667b19e3779f9, kPrime64_4 = 0x85ebca77c2b2ae63,
                                 kPrime64_5 = 0x27d4eb2f165667c5;

  std::uint64_t stripe[kLanes + kStripes];  ///< lane i of stripe s: s + i; the secret itself
  std::uint64_t scramble[kLanes], last[kLanes], merge[kLanes];

  static constexpr HashKeys standard() {
    HashKeys keys{{0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
                   0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
                   0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
                   0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
                   0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
                   0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af},
                  {},
                  {},
                  {}};
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      keys.scramble[i] = keys.secret(128 + 8 * i);
      keys.last[i] = keys.secret(121 + 8 * i);
      keys.merge[i] = keys.secret(11 + 8 * i);
    }
    return keys;
  }
  /// The word at byte offset `at` of the secret.
  FPSYNTH_INLINE constexpr std::uint64_t secret(std::uint32_t at) const {
    const std::uint32_t i = at / 8, bits = at % 8 * 8;
    return bits ? stripe[i] >> bits | stripe[i + 1] << (64 - bits) : stripe[i];
  }

  FPSYNTH_INLINE static std::uint64_t initial(std::uint32_t lane) {
    switch (lane) {
      case 0:
        return kPrime32_3;
      case 1:
        return kPrime64_1;
      case 2:
        return kPrime64_2;
      case 3:
        return kPrime64_3;
      case 4:
        return kPrime64_4;
      case 5:
        return kPrime32_2;
      case 6:
        return kPrime64_5;
      default:
        return kPrime32_1;
    }
  }
};

/// Shorter inputs are hashed by other algorithms (ShortHash).
inline constexpr std::size_t kShortestDeviceHash = 241;
inline constexpr std::size_t kHashBlock = 1024, kHashStripe = 64;

/// Number of an input's blocks after which the accumulators are scrambled.
FPSYNTH_INLINE std::uint64_t hash_blocks(std::uint64_t bytes) { return (bytes - 1) / kHashBlock; }

FPSYNTH_INLINE std::uint64_t load_word(const std::byte* in) {
  if (reinterpret_cast<std::uintptr_t>(in) % 8 != 0) return load<std::uint64_t>(in);
  std::uint64_t word;
  std::memcpy(&word, __builtin_assume_aligned(in, 8), 8);
  return word;
}

/// The product that a lane adds to its own accumulator. The value itself is added to the
/// neighbour's.
FPSYNTH_INLINE std::uint64_t hash_product(std::uint64_t value, std::uint64_t key) {
  const std::uint64_t mixed = value ^ key;
  return std::uint64_t(std::uint32_t(mixed)) * (mixed >> 32);
}

/// The exclusive or of the two halves of a 128-bit product.
FPSYNTH_INLINE std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = 0xffffffff;
  const std::uint64_t p = (a & low) * (b & low), q = (a >> 32) * (b & low);
  const std::uint64_t r = (a & low) * (b >> 32), s = (a >> 32) * (b >> 32);
  const std::uint64_t middle = (p >> 32) + (q & low) + r;
  return (middle << 32 | (p & low)) ^ (s + (q >> 32) + (middle >> 32));
}
FPSYNTH_INLINE std::uint64_t hash_avalanche(std::uint64_t hash) {
  hash = (hash ^ hash >> 37) * 0x165667919e3779f9;
  return hash ^ hash >> 32;
}

/// The hash of 0 to kShortestDeviceHash - 1 bytes, by one lane: longer inputs are hashed in blocks.
struct ShortHash {
  FPSYNTH_INLINE static std::uint64_t of(const std::byte* in, std::uint32_t bytes,
                                         const HashKeys& keys) {
    if (bytes == 0) return scrambled(keys.secret(56) ^ keys.secret(64));
    if (bytes <= 3) return of_3(in, bytes, keys);
    if (bytes <= 8) return of_8(in, bytes, keys);
    if (bytes <= 16) return of_16(in, bytes, keys);
    if (bytes <= 128) return of_128(in, bytes, keys);
    return of_240(in, bytes, keys);
  }

 private:
  FPSYNTH_INLINE static std::uint64_t of_3(const std::byte* in, std::uint32_t bytes,
                                           const HashKeys& keys) {
    const auto byte = [in](std::uint32_t at) { return std::uint32_t(in[at]); };
    const std::uint32_t all = byte(0) << 16 | byte(bytes / 2) << 24 | byte(bytes - 1) | bytes << 8;
    return scrambled(all ^ std::uint32_t(keys.secret(0) ^ keys.secret(4)));
  }
  FPSYNTH_INLINE static std::uint64_t scrambled(std::uint64_t hash) {
    hash = (hash ^ hash >> 33) * HashKeys::kPrime64_2;
    hash = (hash ^ hash >> 29) * HashKeys::kPrime64_3;
    return hash ^ hash >> 32;
  }
  FPSYNTH_INLINE static std::uint64_t of_8(const std::byte* in, std::uint32_t bytes,
                                           const HashKeys& keys) {
    const std::uint64_t first = load<std::uint32_t>(in), last = load<std::uint32_t>(in + bytes - 4);
    std::uint64_t hash = (last + (first << 32)) ^ keys.secret(8) ^ keys.secret(16);
    hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
    hash *= 0x9fb21c651e98df25;
    hash = (hash ^ ((hash >> 35) + bytes)) * 0x9fb21c651e98df25;
    return hash ^ hash >> 28;
  }
  FPSYNTH_INLINE static std::uint64_t of_16(const std::byte* in, std::uint32_t bytes,
                                            const HashKeys& keys) {
    const std::uint64_t low = load<std::uint64_t>(in) ^ keys.secret(24) ^ keys.secret(32);
    const std::uint64_t high =
        load<std::uint64_t>(in + bytes - 8) ^ keys.secret(40) ^ keys.secret(48);
    std::uint64_t swapped = 0;
    for (std::uint32_t i = 0; i < 8; ++i) swapped = swapped << 8 | (low >> (8 * i) & 0xff);
    return hash_avalanche(bytes + swapped + high + folded_product(low, high));
  }
  FPSYNTH_INLINE static std::uint64_t of_128(const std::byte* in, std::uint32_t bytes,
                                             const HashKeys& keys) {
    std::uint64_t sum = bytes * HashKeys::kPrime64_1;
    for (std::uint32_t i = 0; i <= (bytes - 1) / 32; ++i) {
      sum += mixed(in + 16 * i, keys, 32 * i);
      sum += mixed(in + bytes - 16 * (i + 1), keys, 32 * i + 16);
    }
    return hash_avalanche(sum);
  }
  FPSYNTH_INLINE static std::uint64_t of_240(const std::byte* in, std::uint32_t bytes,
                                             const HashKeys& keys) {
    std::uint64_t sum = bytes * HashKeys::kPrime64_1;
    for (std::uint32_t i = 0; i < 8; ++i) sum += mixed(in + 16 * i, keys, 16 * i);
    sum = hash_avalanche(sum);
    for (std::uint32_t i = 8; i < bytes / 16; ++i) {
      sum += mixed(in + 16 * i, keys, 16 * (i - 8) + 3);
    }
    return hash_avalanche(sum + mixed(in + bytes - 16, keys, 119));
  }

  /// Mixes sixteen bytes with sixteen bytes of the secret.
  FPSYNTH_INLINE static std::uint64_t mixed(const std::byte* in, const HashKeys& keys,
                                            std::uint32_t at) {
    return folded_product(load<std::uint64_t>(in) ^ keys.secret(at),
                          load<std::uint64_t>(in + 8) ^ keys.secret(at + 8));
  }
};

/// The hash of an input of any length, by one warp.
///
/// The hash processes its input in blocks of 1 KiB: eight accumulators add up a block's sixteen
/// stripes, by sums whose order does not matter, and are then scrambled by a step that is not
/// linear. A warp computes a block's sums in parallel; the scrambling makes a chain of the blocks.
/// So one hash is as fast as one warp, and a device is fast where it has many inputs to hash, such
/// as the segments of a container's original.
struct WarpHash {
  /// All lanes of a warp call it with the same arguments, and lane 0 gets the hash.
  template <teams::Hardware Hardware>
  FPSYNTH_INLINE static std::uint64_t of(Hardware hardware, const std::byte* in,
                                         std::uint64_t bytes, const HashKeys& keys) {
    if (bytes < kShortestDeviceHash) {
      return hardware.lane() % 32 == 0 ? ShortHash::of(in, std::uint32_t(bytes), keys) : 0;
    }
    return WarpHash(hardware.lane() % 32, keys).long_hash(hardware, in, bytes);
  }

 private:
  /// Lane l has word l % 8 of four stripes of a block, which are the stripes l / 8 + 4 row: so a
  /// warp reads four rows of 256 bytes.
  static constexpr std::uint32_t kRows = 4;
  /// Blocks that are read before the first of them is needed.
  static constexpr std::uint32_t kAhead = 4;

  FPSYNTH_INLINE WarpHash(std::uint32_t lane, const HashKeys& keys)
      : keys_(keys), lane_(lane), accumulator_(HashKeys::initial(lane % 8)) {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      row_keys_[row] = keys.stripe[4 * row + lane / 8 + lane % 8];
    }
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE std::uint64_t long_hash(Hardware hardware, const std::byte* in,
                                         std::uint64_t bytes) {
    const std::uint64_t blocks = hash_blocks(bytes);
    const std::uint64_t key = keys_.scramble[lane_ % 8];
    std::uint64_t block = 0;
    for (; block + kAhead <= blocks; block += kAhead) {
      std::uint64_t values[kAhead][kRows];
      for (std::uint32_t i = 0; i < kAhead; ++i) {
        read(in + (block + i) * kHashBlock, 16, values[i]);
      }
      for (std::uint32_t i = 0; i < kAhead; ++i) {
        add(hardware, 16, values[i]);
        scramble(key);
      }
    }
    for (; block < blocks; ++block) {
      std::uint64_t values[kRows];
      read(in + block * kHashBlock, 16, values);
      add(hardware, 16, values);
      scramble(key);
    }
    const auto stripes = std::uint32_t((bytes - 1 - blocks * kHashBlock) / kHashStripe);
    std::uint64_t values[kRows];
    read(in + blocks * kHashBlock, stripes, values);
    add(hardware, stripes, values);
    return merged(hardware, in + bytes - kHashStripe, bytes);
  }

  /// Reads the lane's words of the first `stripes` stripes of a block, and zeros for the others.
  FPSYNTH_INLINE void read(const std::byte* block, std::uint32_t stripes,
                           std::uint64_t (&values)[kRows]) const {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      const bool is = 4 * row + lane_ / 8 < stripes;
      values[row] = is ? load_word(block + row * 256 + lane_ * 8) : 0;
    }
  }
  /// Adds these stripes to the accumulators, of which every eighth lane has the same one.
  template <teams::Hardware Hardware>
  FPSYNTH_INLINE void add(Hardware hardware, std::uint32_t stripes,
                          const std::uint64_t (&values)[kRows]) {
    std::uint64_t products = 0, sum = 0;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      sum += values[row];
      if (4 * row + lane_ / 8 < stripes) products += hash_product(values[row], row_keys_[row]);
    }
    sum = products + hardware.shuffle_xor(sum, 1);
    sum += hardware.shuffle_xor(sum, 8);
    sum += hardware.shuffle_xor(sum, 16);
    accumulator_ += sum;
  }
  FPSYNTH_INLINE void scramble(std::uint64_t key) {
    accumulator_ = (accumulator_ ^ accumulator_ >> 47 ^ key) * HashKeys::kPrime32_1;
  }
  /// Adds the input's last stripe, which may overlap with the one before, and merges the
  /// accumulators.
  template <teams::Hardware Hardware>
  FPSYNTH_INLINE std::uint64_t merged(Hardware hardware, const std::byte* last,
                                      std::uint64_t bytes) const {
    const std::uint32_t lane = lane_ % 8;
    const std::uint64_t value = load_word(last + 8 * lane);
    const std::uint64_t accumulator =
        accumulator_ + hash_product(value, keys_.last[lane]) + hardware.shuffle_xor(value, 1);
    const std::uint64_t mixed = accumulator ^ keys_.merge[lane];
    const std::uint64_t folded = folded_product(mixed, hardware.shuffle_xor(mixed, 1));
    std::uint64_t sum = lane % 2 == 0 ? folded : 0;
    for (const std::uint32_t distance : {2, 4}) sum += hardware.shuffle_xor(sum, distance);
    return hash_avalanche(sum + bytes * HashKeys::kPrime64_1);
  }

  const HashKeys& keys_;
  std::uint32_t lane_;
  std::uint64_t accumulator_, row_keys_[kRows];
};

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
