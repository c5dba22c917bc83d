// gzip --best and -1: a .gz stream of zlib's.

#include <zlib.h>

#include "runners/baselines/peers/peers.hpp"
#include "runners/baselines/peers/stream.hpp"

namespace fpsynth::baselines {
namespace {

constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header and checksum around it

StreamStatus status_of(int status) {
  // Z_BUF_ERROR does not mean damage: the call could not make progress with these buffers.
  if (status == Z_OK || status == Z_BUF_ERROR) return StreamStatus::More;
  return status == Z_STREAM_END ? StreamStatus::End : StreamStatus::Damaged;
}

void compress(std::span<const std::byte> input, int level, const std::string& name,
              std::vector<std::byte>& file) {
  z_stream stream{};
  constexpr int kMemoryLevel = 9;  // the gzip program's buffers have its size
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error(fmt::format("{}: out of memory; free some", name));
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  stream_compress(stream, input, file, [&](bool finish) {
    return status_of(deflate(&stream, finish ? Z_FINISH : Z_NO_FLUSH));
  });
}

void decompress(std::span<const std::byte> file, std::span<std::byte> original,
                const std::string& name) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) {
    throw Error(fmt::format("{}: out of memory; free some", name));
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream_decompress(stream, file, original, name,
                    [&] { return status_of(inflate(&stream, Z_NO_FLUSH)); });
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  add_levels(peers, "gzip", {{Z_BEST_COMPRESSION, "--best"}, {Z_BEST_SPEED, "-1"}},
             fmt::format("zlib {}", zlibVersion()), compress, decompress);
}

}  // namespace fpsynth::baselines
