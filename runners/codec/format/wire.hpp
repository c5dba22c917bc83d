#pragma once
// Reads and writes numbers as containers store them: little-endian, at any alignment.

#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::codec {

template <typename T>
FPSYNTH_INLINE constexpr void store(std::byte* out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}

template <typename T>
FPSYNTH_INLINE constexpr T load(const std::byte* in) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | (static_cast<T>(in[i]) << (8 * i)));
  }
  return value;
}

}  // namespace fpsynth::codec
