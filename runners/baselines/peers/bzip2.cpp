// bzip2 --best: a .bz2 stream with blocks of 900 kB.

#include <bzlib.h>

#include "runners/baselines/peers/libraries.hpp"
#include "runners/baselines/peers/stream.hpp"

namespace fpsynth::baselines {
namespace {

constexpr const char* kName = "bzip2 --best";

void compress(std::span<const std::byte> input, synth::Precision, std::vector<std::byte>& file) {
  bz_stream stream{};
  if (BZ2_bzCompressInit(&stream, 9, 0, 0) != BZ_OK) {
    throw Error(fmt::format("{}: out of memory; free some", kName));
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

void decompress(std::span<const std::byte> file, synth::Precision, std::span<std::byte> original) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) {
    throw Error(fmt::format("{}: out of memory; free some", kName));
  }
  const std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzDecompressEnd);
  stream_decompress(stream, file, original, kName, [&] {
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

void add_bzip2(Peers& peers) {
  peers.present.push_back({.name = kName,
                           .version = fmt::format("libbz2 {}", BZ2_bzlibVersion()),
                           .threads = 1,
                           .precisions = {synth::Precision::Double, synth::Precision::Single},
                           .compress = compress,
                           .decompress = decompress});
}

}  // namespace fpsynth::baselines
