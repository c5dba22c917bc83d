// bzip2 --best: a .bz2 stream with blocks of 900 kB.

#include <bzlib.h>

#include "runners/baselines/peers/libraries.hpp"
#include "runners/baselines/peers/stream.hpp"

namespace fpsynth::baselines {
namespace {

constexpr const char* kName = "bzip2 --best";

std::vector<std::byte> compress(std::span<const std::byte> input, synth::Precision) {
  bz_stream stream{};
  if (BZ2_bzCompressInit(&stream, 9, 0, 0) != BZ_OK) {
    throw Error(fmt::format("{}: no memory; free some", kName));
  }
  const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzCompressEnd);
  return stream_compress(stream, input, [&](bool finish) {
    switch (BZ2_bzCompress(&stream, finish ? BZ_FINISH : BZ_RUN)) {
      case BZ_RUN_OK:
      case BZ_FINISH_OK:
        return Step::More;
      case BZ_STREAM_END:
        return Step::End;
      default:
        return Step::Damaged;
    }
  });
}

std::vector<std::byte> decompress(std::span<const std::byte> file, synth::Precision,
                                  std::size_t original_bytes) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) {
    throw Error(fmt::format("{}: no memory; free some", kName));
  }
  const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzDecompressEnd);
  return stream_decompress(stream, file, original_bytes, kName, [&] {
    switch (BZ2_bzDecompress(&stream)) {
      case BZ_OK:
        return Step::More;
      case BZ_STREAM_END:
        return Step::End;
      default:
        return Step::Damaged;
    }
  });
}

}  // namespace

void add_bzip2(Peers& peers) {
  peers.present.push_back({.name = kName,
                           .version = fmt::format("libbz2 {}", BZ2_bzlibVersion()),
                           .threads = 1,
                           .precisions = {synth::Precision::Double, synth::Precision::Single},
                           .compress = compress,
                           .decompress = decompress});
}

}  // namespace fpsynth::baselines
