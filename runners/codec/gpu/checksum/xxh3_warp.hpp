#pragma once
// XXH3-64 (seed 0) of data in a GPU's memory, by one warp.
//
// The hash processes its input in blocks of 1 KiB: eight accumulators add up a block's sixteen
// stripes, by sums whose order does not matter, and are then scrambled by a step that is not
// linear. A warp computes a block's sums in parallel; the scrambling makes a chain of the blocks.
// So one hash is as fast as one warp, and a device is fast where it has many inputs to hash, such
// as the segments of a container's original.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "runners/codec/gpu/checksum/xxh3.hpp"
#include "runners/codec/gpu/checksum/xxh3_short.hpp"

namespace fpsynth::codec {

/// The hash of an input of any length, by one warp.
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

}  // namespace fpsynth::codec
