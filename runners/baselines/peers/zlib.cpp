// gzip --best and -1: .gz streams of zlib's.

#include <fmt/core.h>
#include <zlib.h>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

constexpr int kGzip = 15 + 16;   // the largest window, and gzip's header and checksum around it
constexpr int kMemoryLevel = 9;  // the gzip program's buffers have its size

/// The bytes that a stream, which is ended, makes of others; 0 if it has no room for all.
std::size_t run(z_stream& stream, int (*step)(z_stream*, int), int (*end)(z_stream*),
                std::span<const std::byte> from, std::span<std::byte> to) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const bool whole = step(&stream, Z_FINISH) == Z_STREAM_END;
  end(&stream);
  return whole ? stream.total_out : 0;
}

PeerCalls calls(int level) {
  return {.bound = [](std::size_t bytes) { return bytes + bytes / 4 + 64; },
          .encode =
              [level](auto block, auto out) {
                z_stream stream{};
                size_if(deflateInit2(&stream, level, Z_DEFLATED, kGzip, kMemoryLevel,
                                     Z_DEFAULT_STRATEGY) == Z_OK,
                        0);
                return run(stream, deflate, deflateEnd, block, out);
              },
          .decode =
              [](auto block, auto out) {
                z_stream stream{};
                return inflateInit2(&stream, kGzip) == Z_OK &&
                       run(stream, inflate, inflateEnd, block, out) == out.size();
              }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  const std::string version = fmt::format("zlib {}", zlibVersion());
  peers.present.push_back(peer("gzip --best", version, calls(Z_BEST_COMPRESSION)));
  peers.present.push_back(peer("gzip -1", version, calls(Z_BEST_SPEED)));
}

}  // namespace fpsynth::baselines
