// Blocks of LZ4 behind their size, as numcodecs writes them.

#include <lz4.h>

#include <limits>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  std::size_t size = 0;
  if (chunk.size() <= 4) throw Error("it is shorter than the header of a block");
  for (std::size_t i = 4; i-- > 0;) size = size << 8 | std::to_integer<std::size_t>(chunk[i]);
  constexpr std::size_t kMostRatio = 255;  // of the format
  if (size / kMostRatio > chunk.size()) throw Error("the size in front of its block is damaged");
  if (size > values.size()) return size;
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (chunk.size() > kMost || size > kMost) throw Error("it has 2 GiB or more");
  const int decoded = LZ4_decompress_safe(
      reinterpret_cast<const char*>(chunk.data()) + 4, reinterpret_cast<char*>(values.data()),
      static_cast<int>(chunk.size() - 4), static_cast<int>(size));
  if (decoded < 0 || static_cast<std::size_t>(decoded) != size) {
    throw Error("its block does not decode to the size in front of it");
  }
  return size;
}

}  // namespace fpsynth::data
