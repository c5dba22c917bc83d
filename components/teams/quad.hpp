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

  /// Those with bit k for byte k.
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
    return {((a.bytes & ~kTop) + (b.bytes & ~kTop)) ^ ((a.bytes ^ b.bytes) & kTop)};
  }
  FPSYNTH_INLINE friend Quad operator-(Quad a, Quad b) {
    return {((a.bytes | kTop) - (b.bytes & ~kTop)) ^ words::same_of(a.bytes, b.bytes, kTop)};
  }
  FPSYNTH_INLINE friend Quad operator^(Quad a, Quad b) { return {a.bytes ^ b.bytes}; }
  FPSYNTH_INLINE friend Quad operator&(Quad a, Quad b) { return {a.bytes & b.bytes}; }
  FPSYNTH_INLINE friend Quad operator|(Quad a, Quad b) { return {a.bytes | b.bytes}; }
  FPSYNTH_INLINE friend Quad operator~(Quad a) { return {~a.bytes}; }
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

/// The items i to i + 3 of a block of bytes that is aligned to 4; i is a multiple of 4.
struct QuadItem {
  using Word = std::uint8_t;
  std::size_t i;

  /// `offset` must be the same for all lanes. If it is no multiple of 4, the load accesses up to 3
  /// bytes before and after the bytes that it returns.
  FPSYNTH_INLINE Quad load(const void* block, std::ptrdiff_t offset = 0) const {
    const std::uint32_t past = std::uint32_t(offset) % 4;
    const auto* const at = static_cast<const std::uint8_t*>(block) + std::ptrdiff_t(i) +
                           (offset - std::ptrdiff_t(past));
    if (past == 0) return {load_four(at)};
    return {words::funnel_right(load_four(at), load_four(at + 4), 8 * past)};
  }
  /// Bytes past the block's end are written, up to 3.
  FPSYNTH_INLINE void store(void* block, Quad value) const {
    store_four(static_cast<std::uint8_t*>(block) + i, value.bytes);
  }
  FPSYNTH_INLINE Quad index() const {
    return {Quad(std::uint8_t(i)).bytes + 0x03020100};  // a multiple of 4: no carries
  }
  FPSYNTH_INLINE QuadFlags bit(const std::uint64_t* mask) const {
    return QuadFlags::of(std::uint32_t(mask[i / 64] >> (i % 64)) & 0xf);
  }
};

}  // namespace fpsynth::teams
