#pragma once
// The arithmetic of GFC on one lane of a subchunk (gfc_2011, section 2.1): small functions shared
// by a loop over 32 lanes and a warp of 32 threads.

#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::baselines::gfc_lanes {

/// Doubles in a subchunk, and bytes of their 4-bit codes, which come first in it.
inline constexpr std::size_t kLanes = 32;
inline constexpr std::size_t kCodeBytes = kLanes / 2;
/// Bytes of a subchunk that does not compress at all.
inline constexpr std::size_t kWorstSubchunk = kCodeBytes + 8 * kLanes;

/// The lane of the previous subchunk that predicts `lane` at dimensionality 1..32.
FPSYNTH_INLINE constexpr std::size_t predicting_lane(std::size_t lane, std::size_t dimensionality) {
  return kLanes - dimensionality + lane % dimensionality;
}

struct Residual {
  std::uint64_t bits;  ///< the difference without its sign
  std::uint32_t sign;  ///< 1 if the difference was negative
};

FPSYNTH_INLINE constexpr Residual residual_of(std::uint64_t value, std::uint64_t predicted) {
  const std::uint64_t difference = value - predicted;
  const std::uint64_t negative = difference >> 63;
  return {(difference ^ (0 - negative)) + negative, static_cast<std::uint32_t>(negative)};
}

FPSYNTH_INLINE constexpr std::uint64_t value_of(std::uint64_t bits, std::uint32_t code,
                                                std::uint64_t predicted) {
  const std::uint64_t negative = code >> 3;
  return predicted + ((bits ^ (0 - negative)) + negative);
}

/// 3-bit length code of a residual: 0, 1 (for 1 byte), 2 (for 3), 3 (4), ... 7 (8). 2 bytes have no
/// code; they are stored as 3.
FPSYNTH_INLINE constexpr std::uint32_t length_code_of(std::uint64_t bits) {
  const auto top = static_cast<std::uint32_t>(words::highest_bit(bits | 1));
  // Bytes - 1, plus one for 1 byte and for the 2 bytes that are stored as 3.
  const std::uint32_t code = top / 8 + (top < 16 ? 1 : 0);
  return bits == 0 ? 0 : code;
}

/// Bytes stored for a 4-bit code.
FPSYNTH_INLINE constexpr std::uint32_t bytes_of(std::uint32_t code) {
  const std::uint32_t length = code & 7;
  return length + (length >= 2 ? 1 : 0);
}

/// The low-order bytes that a 4-bit code stores, as a mask.
FPSYNTH_INLINE constexpr std::uint64_t mask_of(std::uint32_t code) {
  const std::uint32_t bits = 8 * bytes_of(code);
  return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
}

}  // namespace fpsynth::baselines::gfc_lanes
