// Buffers of c-blosc, which say themselves how they were shuffled and compressed.

#include <blosc.h>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  constexpr int kThreads = 1;
  std::size_t size = 0;
  if (blosc_cbuffer_validate(chunk.data(), chunk.size(), &size) != 0) {
    throw Error("its header is not one of Blosc's, or contradicts its size");
  }
  if (size > values.size()) return size;
  const int decoded = blosc_decompress_ctx(chunk.data(), values.data(), values.size(), kThreads);
  if (decoded < 0) {
    const char* const library = blosc_cbuffer_complib(chunk.data());
    raise(
        "c-blosc {} cannot decode it ({}): its bytes are damaged, or this c-blosc was built "
        "without that compressor",
        blosc_get_version_string(), library ? library : "unknown compressor");
  }
  return static_cast<std::size_t>(decoded);
}

}  // namespace fpsynth::data
