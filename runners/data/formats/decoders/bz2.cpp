// A stream of bzip2.

#include <bzlib.h>

#include <limits>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
  if (chunk.size() > kMost || values.size() > kMost) throw Error("it has 4 GiB or more");
  auto size = static_cast<unsigned>(values.size());
  const int status =
      BZ2_bzBuffToBuffDecompress(reinterpret_cast<char*>(values.data()), &size,
                                 reinterpret_cast<char*>(const_cast<std::byte*>(chunk.data())),
                                 static_cast<unsigned>(chunk.size()), 0, 0);
  if (status == BZ_OUTBUFF_FULL) return values.size() + 1;
  if (status != BZ_OK) throw Error("its stream is damaged or cut off");
  return size;
}

}  // namespace fpsynth::data
