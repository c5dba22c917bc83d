#pragma once
// Copies between memories of a GPU at any alignment, sixteen bytes at a time.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::codec {

/// The unit that a lane moves.
struct alignas(16) Bytes16 {
  std::uint32_t a, b, c, d;
};

/// Memory begin..end - 1, which may be read.
struct Readable {
  const std::byte *begin, *end;
};

FPSYNTH_INLINE Bytes16 load_16(const std::byte* aligned) {
  Bytes16 bytes;
  std::memcpy(&bytes, __builtin_assume_aligned(aligned, 16), sizeof bytes);
  return bytes;
}

FPSYNTH_INLINE void store_16(std::byte* aligned, Bytes16 bytes) {
  std::memcpy(__builtin_assume_aligned(aligned, 16), &bytes, sizeof bytes);
}

/// The bytes of aligned[0..16) that are in `memory`, with zeros in place of the others.
FPSYNTH_INLINE Bytes16 load_16(const std::byte* aligned, Readable memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(aligned);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.begin);
  const auto end = reinterpret_cast<std::uintptr_t>(memory.end);
  if (at >= begin && at + 16 <= end) return load_16(aligned);
  std::uint64_t low = 0, high = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const bool inside = at + i >= begin && at + i < end;
    const std::uint64_t byte = inside ? std::uint64_t(aligned[i]) : 0;
    (i < 8 ? low : high) |= byte << (8 * (i % 8));
  }
  return {std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high),
          std::uint32_t(high >> 32)};
}

/// Four of the eight bytes of `low` and `high`, beginning with byte bits / 8, which is less than 4.
FPSYNTH_INLINE std::uint32_t funnel(std::uint32_t low, std::uint32_t high, unsigned bits) {
  return std::uint32_t((std::uint64_t{high} << 32 | low) >> bits);
}

/// Sixteen of the 32 bytes of x and y, beginning with byte `from` (less than 16). All lanes of a
/// copy have the same `from`, so they take the same branch.
FPSYNTH_INLINE Bytes16 shifted(Bytes16 x, Bytes16 y, unsigned from) {
  const unsigned bits = from % 4 * 8;
  const auto five = [bits](std::uint32_t p, std::uint32_t q, std::uint32_t r, std::uint32_t s,
                           std::uint32_t t) -> Bytes16 {
    return {funnel(p, q, bits), funnel(q, r, bits), funnel(r, s, bits), funnel(s, t, bits)};
  };
  switch (from / 4) {
    case 0:
      return five(x.a, x.b, x.c, x.d, y.a);
    case 1:
      return five(x.b, x.c, x.d, y.a, y.b);
    case 2:
      return five(x.c, x.d, y.a, y.b, y.c);
    default:
      return five(x.d, y.a, y.b, y.c, y.d);
  }
}

/// Copies from[0..bytes), which is within `memory`, to to[0..bytes). All lanes of a thread block
/// call it with the same arguments; it contains no barrier. It writes aligned 16-byte units except
/// at both ends of the target, and reads nothing outside `memory`.
template <teams::Hardware Hardware>
FPSYNTH_INLINE void copy_block(Hardware hardware, std::byte* to, const std::byte* from,
                               std::uint32_t bytes, Readable memory) {
  const std::uint32_t to_boundary = std::uint32_t(-reinterpret_cast<std::uintptr_t>(to) & 15);
  const std::uint32_t head = to_boundary < bytes ? to_boundary : bytes;
  const std::uint32_t whole = (bytes - head) / 16, tail = head + 16 * whole;
  const std::byte* const body = from + head;
  const unsigned shift = unsigned(reinterpret_cast<std::uintptr_t>(body) & 15);
  const std::byte* const aligned = body - shift;
  std::byte* const target = to + head;
  if (shift == 0) {  // all units are then within the source
    for (std::uint32_t i = hardware.lane(); i < whole; i += hardware.lanes()) {
      store_16(target + 16 * i, load_16(aligned + 16 * i));
    }
  } else {
    for (std::uint32_t i = hardware.lane(); i < whole; i += hardware.lanes()) {
      const Bytes16 low = load_16(aligned + 16 * i, memory);
      const Bytes16 high = load_16(aligned + 16 * i + 16, memory);
      store_16(target + 16 * i, shifted(low, high, shift));
    }
  }
  for (std::uint32_t i = hardware.lane(); i < head; i += hardware.lanes()) to[i] = from[i];
  for (std::uint32_t i = tail + hardware.lane(); i < bytes; i += hardware.lanes()) to[i] = from[i];
}

}  // namespace fpsynth::codec
