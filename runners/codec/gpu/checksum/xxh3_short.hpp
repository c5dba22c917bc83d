#pragma once
// XXH3-64 (seed 0) of up to 240 bytes in a GPU's memory: longer inputs are hashed in blocks.

#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"
#include "runners/codec/gpu/checksum/xxh3.hpp"

namespace fpsynth::codec {

/// The hash of 0 to kShortestDeviceHash - 1 bytes, by one lane.
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

}  // namespace fpsynth::codec
