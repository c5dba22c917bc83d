#pragma once
// Little-endian integers and unaligned words, as all baseline formats have them.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

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

}  // namespace fpsynth::baselines
