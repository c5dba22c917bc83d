// zlib's own format and gzip's, which zlib tells apart. Files of gzip may have several members
// behind each other, and zeros behind the last one.

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  constexpr int kEitherFormat = 15 + 32, kGzip = 15 + 16;  // the largest window
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  if (chunk.size() > kMost || values.size() > kMost) throw Error("it has 4 GiB or more");
  z_stream stream{};
  if (inflateInit2(&stream, kEitherFormat) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(chunk.data()));
  stream.avail_in = static_cast<uInt>(chunk.size());
  stream.next_out = reinterpret_cast<Bytef*>(values.data());
  stream.avail_out = static_cast<uInt>(values.size());
  const bool gzip = chunk.size() > 1 && chunk[0] == std::byte{0x1f} && chunk[1] == std::byte{0x8b};
  while (true) {
    const int status = inflate(&stream, Z_FINISH);
    if (status == Z_BUF_ERROR && stream.avail_out == 0 && stream.avail_in > 0) {
      return values.size() + 1;
    }
    if (status != Z_STREAM_END) {
      throw Error(stream.msg ? stream.msg : "its stream does not end with its values");
    }
    const auto rest = chunk.last(stream.avail_in);
    if (gzip && std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; })) break;
    if (rest.empty()) break;
    if (!gzip) throw Error("bytes follow its stream");
    inflateReset2(&stream, kGzip);
  }
  return values.size() - stream.avail_out;
}

}  // namespace fpsynth::data
