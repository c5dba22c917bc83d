// Streams of bzip2, one or several behind each other.

#include <bzlib.h>

#include <limits>
#include <memory>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
  if (chunk.size() > kMost || values.size() > kMost) throw Error("it has 4 GiB or more");
  std::size_t size = 0;
  do {
    bz_stream stream{};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw Error("out of memory; free some");
    const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzDecompressEnd);
    stream.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(chunk.data()));
    stream.avail_in = static_cast<unsigned>(chunk.size());
    stream.next_out = reinterpret_cast<char*>(values.data() + size);
    stream.avail_out = static_cast<unsigned>(values.size() - size);
    int status = BZ_OK;
    while (status == BZ_OK && (stream.avail_in > 0 || stream.avail_out > 0)) {
      const unsigned before = stream.avail_in + stream.avail_out;
      status = BZ2_bzDecompress(&stream);
      if (status == BZ_OK && stream.avail_in + stream.avail_out == before) break;
    }
    if (status == BZ_OK && stream.avail_out == 0) return values.size() + 1;
    if (status != BZ_STREAM_END) throw Error("its stream is damaged or cut off");
    size = values.size() - stream.avail_out;
    chunk = chunk.last(stream.avail_in);
  } while (!chunk.empty());
  return size;
}

}  // namespace fpsynth::data
