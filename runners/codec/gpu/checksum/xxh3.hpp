#pragma once
// XXH3-64 (seed 0) on a GPU: its secret and its operations.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/words/bits.hpp"
#include "runners/codec/format/header.hpp"

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

}  // namespace fpsynth::codec
