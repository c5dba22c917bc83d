// xz -6 and -9: a .xz stream with the CRC64 that the xz program writes, with dictionaries of 8 and
// of 64 MiB.

#include <fmt/core.h>
#include <lzma.h>

#include "runners/baselines/peers/peers.hpp"
#include "runners/baselines/peers/stream.hpp"

namespace fpsynth::baselines {
namespace {

// Level 9 needs 65 MiB to decode. A damaged header may ask for 4 GiB.
constexpr std::uint64_t kDecoderMemory = std::uint64_t{128} << 20;

StreamStatus status_of(lzma_ret status) {
  // LZMA_BUF_ERROR does not mean damage: the call could not make progress with these buffers.
  if (status == LZMA_OK || status == LZMA_BUF_ERROR) return StreamStatus::More;
  return status == LZMA_STREAM_END ? StreamStatus::End : StreamStatus::Damaged;
}

void compress(std::span<const std::byte> input, int level, const std::string& name,
              std::vector<std::byte>& file) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
  const auto preset = static_cast<std::uint32_t>(level);
  if (lzma_easy_encoder(&stream, preset, LZMA_CHECK_CRC64) != LZMA_OK) {
    throw Error(fmt::format("{}: out of memory: it needs {} MiB; free some", name,
                            lzma_easy_encoder_memusage(preset) >> 20));
  }
  stream_compress(stream, input, file, [&](bool finish) {
    return status_of(lzma_code(&stream, finish ? LZMA_FINISH : LZMA_RUN));
  });
}

void decompress(std::span<const std::byte> file, std::span<std::byte> original,
                const std::string& name) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
  if (lzma_stream_decoder(&stream, kDecoderMemory, 0) != LZMA_OK) {
    throw Error(fmt::format("{}: out of memory; free some", name));
  }
  stream_decompress(stream, file, original, name,
                    [&] { return status_of(lzma_code(&stream, LZMA_RUN)); });
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  add_levels(peers, "xz", {{6, "-6"}, {9, "-9"}}, fmt::format("liblzma {}", lzma_version_string()),
             compress, decompress);
}

}  // namespace fpsynth::baselines
