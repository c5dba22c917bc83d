#pragma once
// Four neighbouring bytes in one register: what phases over bytes run on in a thread block, whose
// shared memory moves 4 bytes a lane and cycle. The operations are those that component bodies use
// on words, without carries from byte to byte.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// The result of comparing quads: 0x80 in the bytes where it holds.
struct QuadFlags {
  std::uint32_t flags;

  /// Bit k for byte k.
  FPSYNTH_INLINE std::uint32_t bits() const { return (flags >> 7) * 0x01020408u >> 24 & 0xf; }
};

struct Quad {
  static constexpr std::uint32_t kTop = 0x80808080;
  std::uint32_t bytes;

  FPSYNTH_INLINE static Quad all(std::uint8_t byte) { return {byte * 0x01010101u}; }

  FPSYNTH_INLINE friend Quad operator+(Quad a, Quad b) {
    return {((a.bytes & ~kTop) + (b.bytes & ~kTop)) ^ ((a.bytes ^ b.bytes) & kTop)};
  }
  FPSYNTH_INLINE friend Quad operator-(Quad a, Quad b) {
    return {((a.bytes | kTop) - (b.bytes & ~kTop)) ^ (~(a.bytes ^ b.bytes) & kTop)};
  }
  FPSYNTH_INLINE friend Quad operator^(Quad a, Quad b) { return {a.bytes ^ b.bytes}; }
  FPSYNTH_INLINE friend Quad operator&(Quad a, Quad b) { return {a.bytes & b.bytes}; }
  FPSYNTH_INLINE friend Quad operator|(Quad a, Quad b) { return {a.bytes | b.bytes}; }
  FPSYNTH_INLINE friend Quad operator~(Quad a) { return {~a.bytes}; }
  FPSYNTH_INLINE friend QuadFlags operator!=(Quad a, Quad b) {
    const std::uint32_t difference = a.bytes ^ b.bytes;
    return {(((difference & ~kTop) + ~kTop) | difference) & kTop};
  }
  FPSYNTH_INLINE friend QuadFlags operator==(Quad a, Quad b) { return {(a != b).flags ^ kTop}; }
  // With plain bytes on one side.
  FPSYNTH_INLINE friend Quad operator-(Quad a, std::uint8_t b) { return a - all(b); }
  FPSYNTH_INLINE friend Quad operator-(std::uint8_t a, Quad b) { return all(a) - b; }
  FPSYNTH_INLINE friend Quad operator&(Quad a, std::uint8_t b) { return a & all(b); }
  FPSYNTH_INLINE friend Quad operator|(Quad a, std::uint8_t b) { return a | all(b); }
  FPSYNTH_INLINE friend QuadFlags operator!=(Quad a, std::uint8_t b) { return a != all(b); }
  FPSYNTH_INLINE friend QuadFlags operator==(Quad a, std::uint8_t b) { return a == all(b); }

  FPSYNTH_INLINE friend Quad select(QuadFlags condition, Quad yes, Quad no) {
    const std::uint32_t mask = (condition.flags >> 7) * 0xff;
    return {(yes.bytes & mask) | (no.bytes & ~mask)};
  }
};

/// The items i to i + 3 of a block of bytes, i being a multiple of 4. Loads may reach up to 3 bytes
/// past them on both sides, into other items or the block's slack.
struct QuadItem {
  using Word = std::uint8_t;
  std::size_t i;

  FPSYNTH_INLINE Quad load(const void* block, std::ptrdiff_t offset = 0) const {
    const auto* const at = static_cast<const char*>(block) + std::ptrdiff_t(i) + offset;
    const std::uint32_t past = std::uint32_t(reinterpret_cast<std::uintptr_t>(at) % 4);
    // Memory gives aligned words only.
    const void* const words = __builtin_assume_aligned(at - past, 4);
    std::uint32_t low;
    std::memcpy(&low, words, 4);
    if (past == 0) return {low};
    std::uint32_t high;
    std::memcpy(&high, static_cast<const char*>(words) + 4, 4);
    return {std::uint32_t((std::uint64_t{high} << 32 | low) >> 8 * past)};
  }
  FPSYNTH_INLINE void store(void* block, Quad value) const {
    auto* const at = static_cast<char*>(block) + i;
    if (reinterpret_cast<std::uintptr_t>(at) % 4 == 0) {
      std::memcpy(__builtin_assume_aligned(at, 4), &value.bytes, 4);
    } else {
      for (int k = 0; k < 4; ++k) at[k] = char(value.bytes >> 8 * k);
    }
  }
  FPSYNTH_INLINE void store(void* block, std::uint8_t value) const {
    store(block, Quad::all(value));
  }
  FPSYNTH_INLINE Quad index() const { return Quad::all(std::uint8_t(i)) + Quad{0x03020100}; }
  FPSYNTH_INLINE QuadFlags bit(const std::uint64_t* mask) const {
    const std::uint32_t bits = std::uint32_t(mask[i / 64] >> (i % 64)) & 0xf;
    return {(bits * 0x00204081u & 0x01010101u) << 7};
  }
};

}  // namespace fpsynth::teams
