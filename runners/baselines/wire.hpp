#pragma once
// What the baselines' formats share: little-endian integers, unaligned words, doubles, and
// originals that must have the size of the caller's buffer.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>

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
void expect_original_bytes(std::string_view name, std::size_t original, std::size_t buffer);

/// Throws Error for singles, which the format cannot hold.
void expect_doubles(std::string_view format, synth::Precision precision);

}  // namespace fpsynth::baselines
