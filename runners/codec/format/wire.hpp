#pragma once
// The container's fixed bytes: see FORMAT.md.

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "components/words/bits.hpp"

namespace fpsynth::codec {

inline constexpr char kMagic[] = {'F', 'P', 'S', 'Y'};
inline constexpr std::uint8_t kVersion = 1;

/// Magic, version, word size, stage count, cut.
inline constexpr std::size_t kFixedFront = 8;
/// Chunk length, original size, checksum.
inline constexpr std::size_t kFixedBack = 4 + 8 + 8;

/// Bytes of a header.
constexpr std::size_t header_bytes(std::size_t stages) {
  return kFixedFront + 2 * stages + kFixedBack;
}

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

/// A stage as the header has it.
struct WireStage {
  std::uint8_t family, parameter;
};

/// Writes the header up to and including the chunk length, all that does not depend on the
/// original, and returns where its size belongs, the checksum behind it.
constexpr std::byte* store_front(std::byte* out, std::size_t word_bytes, const WireStage* stages,
                                 std::size_t count, std::size_t cut, std::uint32_t chunk_words) {
  for (const char letter : kMagic) *out++ = static_cast<std::byte>(letter);
  for (const std::size_t field : {std::size_t{kVersion}, word_bytes, count, cut}) {
    *out++ = static_cast<std::byte>(field);
  }
  for (std::size_t i = 0; i < count; ++i) {
    *out++ = std::byte{stages[i].family};
    *out++ = std::byte{stages[i].parameter};
  }
  store(out, chunk_words);
  return out + sizeof chunk_words;
}

}  // namespace fpsynth::codec
