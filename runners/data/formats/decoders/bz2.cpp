// Streams of bzip2, one or several behind each other.

#include <bzlib.h>

#include <limits>
#include <memory>
#include <new>

#include "runners/data/formats/decoders/decoder.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

std::size_t fpsynth_decode_chunk(std::span<const std::byte> chunk, std::span<std::byte> values) {
  constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
  if (chunk.size() > kMost || values.size() > kMost) throw Error("it has 4 GiB or more");
  bz_stream stream{};
  stream.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(chunk.data()));
  stream.avail_in = static_cast<unsigned>(chunk.size());
  stream.next_out = reinterpret_cast<char*>(values.data());
  stream.avail_out = static_cast<unsigned>(values.size());
  do {
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
    const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzDecompressEnd);
    const int status = BZ2_bzDecompress(&stream);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status == BZ_OK && stream.avail_out == 0) return values.size() + 1;
    if (status != BZ_STREAM_END) throw Error("its stream is damaged or cut off");
  } while (stream.avail_in > 0);
  return values.size() - stream.avail_out;
}

}  // namespace fpsynth::data
