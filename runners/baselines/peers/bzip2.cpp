// bzip2 --best and -1: a .bz2 stream with blocks of 900 kB and of 100 kB.

#include <bzlib.h>

#include "runners/baselines/peers/peers.hpp"
#include "runners/baselines/peers/stream.hpp"

namespace fpsynth::baselines {
namespace {

void compress(std::span<const std::byte> input, int level, const std::string& name,
              std::vector<std::byte>& file) {
  bz_stream stream{};
  if (BZ2_bzCompressInit(&stream, level, 0, 0) != BZ_OK) {
    throw Error(fmt::format("{}: out of memory; free some", name));
  }
  const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzCompressEnd);
  stream_compress(stream, input, file, [&](bool finish) {
    switch (BZ2_bzCompress(&stream, finish ? BZ_FINISH : BZ_RUN)) {
      case BZ_RUN_OK:
      case BZ_FINISH_OK:
        return StreamStatus::More;
      case BZ_STREAM_END:
        return StreamStatus::End;
      default:
        return StreamStatus::Damaged;
    }
  });
}

void decompress(std::span<const std::byte> file, std::span<std::byte> original,
                const std::string& name) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) {
    throw Error(fmt::format("{}: out of memory; free some", name));
  }
  const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzDecompressEnd);
  stream_decompress(stream, file, original, name, [&] {
    switch (BZ2_bzDecompress(&stream)) {
      case BZ_OK:
        return StreamStatus::More;
      case BZ_STREAM_END:
        return StreamStatus::End;
      default:
        return StreamStatus::Damaged;
    }
  });
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  add_levels(peers, "bzip2", {{9, "--best"}, {1, "-1"}},
             fmt::format("libbz2 {}", BZ2_bzlibVersion()), compress, decompress);
}

}  // namespace fpsynth::baselines
