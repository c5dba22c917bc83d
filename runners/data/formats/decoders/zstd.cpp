// Frames of Zstandard.

#include <zstd.h>
#include <zstd_errors.h>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  const std::size_t size =
      ZSTD_decompress(values.data(), values.size(), chunk.data(), chunk.size());
  if (ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall) return values.size() + 1;
  if (ZSTD_isError(size)) throw Error(ZSTD_getErrorName(size));
  return size;
}

}  // namespace fpsynth::data
