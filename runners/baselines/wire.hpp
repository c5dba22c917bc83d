#pragma once
// What the baselines' formats have in common: little-endian integers, unaligned words, doubles, and
// originals that must fit the caller's buffer.

#include <fmt/core.h>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

static_assert(std::endian::native == std::endian::little, "words are read and written in place");

template <std::integral T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <std::integral T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Throws Error unless the original of a file has as many bytes as the buffer for it.
inline void expect_original_bytes(std::string_view name, std::size_t original, std::size_t buffer) {
  if (original == buffer) return;
  throw Error(fmt::format("{}: its original has {} bytes, the buffer given for it {}", name,
                          original, buffer));
}

/// Throws Error for singles, which a format of doubles does not hold.
inline void expect_doubles(std::string_view format, synth::Precision precision) {
  if (precision == synth::Precision::Double) return;
  throw Error(fmt::format("{} compresses doubles only; ask for double precision", format));
}

}  // namespace fpsynth::baselines
