#pragma once
// Four neighbouring bytes in one register, with the operations that component bodies use on words.
// Nothing is carried from byte to byte.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

FPSYNTH_INLINE std::uint32_t load_four(const std::uint8_t* aligned) {
  std::uint32_t four;
  std::memcpy(&four, __builtin_assume_aligned(aligned, 4), 4);
  return four;
}
FPSYNTH_INLINE void store_four(std::uint8_t* aligned, std::uint32_t four) {
  std::memcpy(__builtin_assume_aligned(aligned, 4), &four, 4);
}

/// The result of comparing quads: 0x80 in the bytes for which the comparison is true.
struct QuadFlags {
  std::uint32_t flags;

  /// The flags as bits: bit k for byte k.
  FPSYNTH_INLINE static QuadFlags of(std::uint32_t bits) {
    return {(bits * 0x00204081u & 0x01010101u) << 7};
  }
  FPSYNTH_INLINE std::uint32_t bits() const { return flags * 0x00204081u >> 28; }
};

struct Quad {
  static constexpr std::uint32_t kTop = 0x80808080;
  std::uint32_t bytes;

  Quad() = default;
  FPSYNTH_INLINE constexpr Quad(std::uint32_t four) : bytes(four) {}
  /// A plain byte stands for four copies of it.
  FPSYNTH_INLINE constexpr Quad(std::uint8_t byte) : Quad(byte * 0x01010101u) {}

  FPSYNTH_INLINE friend Quad operator+(Quad a, Quad b) {
    return {((a.bytes & ~kTop) + (b.bytes & ~kTop)) ^ words::different_of(a.bytes, b.bytes, kTop)};
  }
  FPSYNTH_INLINE friend Quad operator-(Quad a, Quad b) {
    return {((a.bytes | kTop) - (b.bytes & ~kTop)) ^ words::same_of(a.bytes, b.bytes, kTop)};
  }
  FPSYNTH_INLINE friend Quad operator^(Quad a, Quad b) { return {a.bytes ^ b.bytes}; }
  FPSYNTH_INLINE friend Quad operator&(Quad a, Quad b) { return {a.bytes & b.bytes}; }
  FPSYNTH_INLINE friend Quad operator|(Quad a, Quad b) { return {a.bytes | b.bytes}; }
  FPSYNTH_INLINE friend Quad operator~(Quad a) { return {~a.bytes}; }
  FPSYNTH_INLINE friend Quad operator>>(Quad a, int count) {
    return {a.bytes >> count & (0xffu >> count) * 0x01010101u};
  }
  FPSYNTH_INLINE friend QuadFlags operator!=(Quad a, Quad b) {
    const std::uint32_t difference = a.bytes ^ b.bytes;
    return {words::either_of((difference & ~kTop) + ~kTop, difference, kTop)};
  }
  FPSYNTH_INLINE friend QuadFlags operator==(Quad a, Quad b) { return {(a != b).flags ^ kTop}; }

  FPSYNTH_INLINE friend Quad select(QuadFlags condition, Quad yes, Quad no) {
    const std::uint32_t mask = (condition.flags >> 7) * 0xff;
    return {(yes.bytes & mask) | (no.bytes & ~mask)};
  }
};

}  // namespace fpsynth::teams
