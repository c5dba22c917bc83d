// zlib's own format and gzip's, which zlib tells apart.

#include <zlib.h>

#include <limits>
#include <memory>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  constexpr int kEitherFormat = 15 + 32;  // the largest window
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  if (chunk.size() > kMost || values.size() > kMost) throw Error("it has 4 GiB or more");
  z_stream stream{};
  if (inflateInit2(&stream, kEitherFormat) != Z_OK) throw Error("out of memory; free some");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(chunk.data()));
  stream.avail_in = static_cast<uInt>(chunk.size());
  stream.next_out = reinterpret_cast<Bytef*>(values.data());
  stream.avail_out = static_cast<uInt>(values.size());
  if (inflate(&stream, Z_FINISH) != Z_STREAM_END) {
    throw Error(stream.msg ? stream.msg : "its stream does not end with its values");
  }
  if (stream.avail_in > 0) throw Error("bytes follow its stream");
  return values.size() - stream.avail_out;
}

}  // namespace fpsynth::data
