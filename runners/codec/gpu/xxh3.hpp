#pragma once
// XXH3-64 (seed 0) of data in a GPU's memory.
//
// The hash processes its input in blocks of 1 KiB: eight accumulators add up a block's sixteen
// stripes, by sums whose order does not matter, and are then scrambled by a step that is not
// linear. So the sums of all blocks are computed in parallel (HashSumsBody: reads the input, writes
// a sixteenth of its size), and one warp adds and scrambles block after block (HashChainBody). The
// definition of the hash makes that chain serial: an addition, a shift, an exclusive or and a
// multiplication of 64 by 32 bits, some 25 cycles a block, so that no GPU exceeds about 70 GB/s at
// 1.7 GHz. It is therefore separate from the codec's kernels; callers that know the checksum pass
// it.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/wire.hpp"

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

/// Shorter inputs are hashed by other algorithms (ShortHashBody).
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

/// Computes what the stripes of every whole block except the last add to the eight accumulators.
/// Each warp processes one block: each lane reads four words, in four coalesced rows of the block.
struct HashSumsBody {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::uint64_t blocks;  ///< hash_blocks()
    std::uint64_t* sums;   ///< eight per block
    HashKeys keys;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const std::uint32_t in_warp = hardware.lane() % 32, lane = in_warp % 8;
    const std::uint64_t warps = std::uint64_t{hardware.blocks()} * (hardware.lanes() / 32);
    std::uint64_t keys[4];
    for (std::uint32_t row = 0; row < 4; ++row) {
      keys[row] = args.keys.stripe[4 * row + in_warp / 8 + lane];
    }
    for (std::uint64_t block = hardware.block() * (hardware.lanes() / 32) + hardware.lane() / 32;
         block < args.blocks; block += warps) {
      const std::byte* const in = args.in + block * kHashBlock + in_warp * 8;
      std::uint64_t products = 0, values = 0;
      for (std::uint32_t row = 0; row < 4; ++row) {
        const std::uint64_t value = load_word(in + row * 256);
        values += value;
        products += hash_product(value, keys[row]);
      }
      std::uint64_t sum = products + hardware.shuffle_xor(values, 1);
      sum += hardware.shuffle_xor(sum, 8);
      sum += hardware.shuffle_xor(sum, 16);
      if (in_warp < 8) args.sums[8 * block + lane] = sum;
    }
  }
};

/// Computes the chain over the blocks' sums, the last stripes, and the hash. Must run as one thread
/// block. Lanes 0 to 7 of the first warp keep an accumulator each; the other warps copy the sums to
/// shared memory, one tile ahead.
struct HashChainBody {
  static constexpr std::uint32_t kLanes = 256, kTile = 256;  ///< blocks of a tile
  static constexpr std::size_t kSharedBytes = 2 * kTile * 8 * sizeof(std::uint64_t);

  struct Args {
    const std::byte* in;
    std::uint64_t bytes;  ///< at least kShortestDeviceHash
    const std::uint64_t* sums;
    std::uint64_t* hash;  ///< receives the hash
    HashKeys keys;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const std::uint32_t lane = hardware.lane(), others = hardware.lanes() > 32 ? 32 : 0;
    const std::uint64_t blocks = hash_blocks(args.bytes);
    auto* const tiles = reinterpret_cast<std::uint64_t*>(hardware.shared());
    const std::uint64_t key = args.keys.scramble[lane % 8];
    std::uint64_t accumulator = HashKeys::initial(lane % 8);
    const auto copy_tile = [&](std::uint64_t first, std::uint64_t* tile) {
      const std::uint32_t count = first < blocks ? count_of(blocks - first) : 0;
      for (std::uint32_t i = lane - others; i < 8 * count; i += hardware.lanes() - others) {
        tile[i] = args.sums[8 * first + i];
      }
    };
    if (lane >= others) copy_tile(0, tiles);
    hardware.barrier();
    std::uint32_t turn = 0;
    for (std::uint64_t first = 0; first < blocks; first += kTile, turn ^= 1) {
      if (lane >= others) copy_tile(first + kTile, tiles + (turn ^ 1) * 8 * kTile);
      if (lane < 8) {
        const std::uint64_t* const tile = tiles + turn * 8 * kTile + lane;
        const std::uint32_t count = count_of(blocks - first);
        std::uint32_t i = 0;
        for (; i + kAhead <= count; i += kAhead) {  // these reads do not wait for the chain
          std::uint64_t sums[kAhead];
          for (std::uint32_t k = 0; k < kAhead; ++k) sums[k] = tile[8 * (i + k)];
          for (std::uint32_t k = 0; k < kAhead; ++k) accumulator = next(accumulator, sums[k], key);
        }
        for (; i < count; ++i) accumulator = next(accumulator, tile[8 * i], key);
      }
      hardware.barrier();
    }
    if (lane < 32) finish(hardware, args, blocks, accumulator);
  }

 private:
  static constexpr std::uint32_t kAhead = 8;

  FPSYNTH_INLINE static std::uint64_t next(std::uint64_t accumulator, std::uint64_t sum,
                                           std::uint64_t key) {
    accumulator += sum;
    return (accumulator ^ accumulator >> 47 ^ key) * HashKeys::kPrime32_1;
  }
  FPSYNTH_INLINE static std::uint32_t count_of(std::uint64_t left) {
    return left < kTile ? std::uint32_t(left) : kTile;
  }

  /// Called by a warp whose first eight lanes have the accumulators.
  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void finish(Hardware hardware, const Args& args, std::uint64_t blocks,
                                    std::uint64_t accumulator) {
    const std::uint32_t lane = hardware.lane() % 8;
    const std::byte* const rest = args.in + blocks * kHashBlock;
    const auto stripes = std::uint32_t((args.bytes - 1 - blocks * kHashBlock) / kHashStripe);
    const auto take = [&](const std::byte* stripe, std::uint64_t key) {
      const std::uint64_t value = load_word(stripe + 8 * lane);
      accumulator += hash_product(value, key) + hardware.shuffle_xor(value, 1);
    };
    for (std::uint32_t s = 0; s < stripes; ++s) {
      take(rest + s * kHashStripe, args.keys.stripe[s + lane]);
    }
    take(args.in + args.bytes - kHashStripe, args.keys.last[lane]);
    const std::uint64_t mixed = accumulator ^ args.keys.merge[lane];
    const std::uint64_t folded = folded_product(mixed, hardware.shuffle_xor(mixed, 1));
    std::uint64_t sum = lane % 2 == 0 ? folded : 0;
    for (const std::uint32_t distance : {2, 4}) sum += hardware.shuffle_xor(sum, distance);
    if (hardware.lane() == 0) *args.hash = hash_avalanche(sum + args.bytes * HashKeys::kPrime64_1);
  }
};

}  // namespace fpsynth::codec
