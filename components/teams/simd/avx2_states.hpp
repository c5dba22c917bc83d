#pragma once
// Symbols out of eight states at a time, with AVX2.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "components/teams/planes.hpp"

namespace fpsynth::teams {

/// For a mask of eight states that take a number: which of the eight numbers before the end each
/// takes, the first of them the last number.
struct TakenNumbers {
  std::uint8_t of[256][8];
  constexpr TakenNumbers() : of() {
    for (int mask = 0; mask < 256; ++mask) {
      int taken = 0;
      for (int k = 0; k < 8; ++k) {
        of[mask][k] = std::uint8_t(7 - taken);
        taken += mask >> k & 1;
      }
    }
  }
};
inline constexpr TakenNumbers kTakenNumbers;

}  // namespace fpsynth::teams
