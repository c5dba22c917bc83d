#include "runners/baselines/memory_copy.hpp"

#include <algorithm>
#include <cstring>

#include "runners/baselines/wire.hpp"
#include "runners/codec/cpu/parallel.hpp"

namespace fpsynth::baselines {
namespace {

void copy(std::span<const std::byte> from, std::byte* to, int threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::size_t pieces = (from.size() + kPiece - 1) / kPiece;
  codec::in_any_order(pieces, threads, [&](std::size_t piece) {
    const std::size_t at = piece * kPiece;
    std::memcpy(to + at, from.data() + at, std::min(kPiece, from.size() - at));
  });
}

}  // namespace

Compressor memory_copy(int threads) {
  return {.name = "memcpy",
          .version = "",
          .threads = threads,
          .precisions = {synth::Precision::Double, synth::Precision::Single},
          .compress =
              [threads](std::span<const std::byte> input, synth::Precision,
                        std::vector<std::byte>& file) {
                file.resize(input.size());
                copy(input, file.data(), threads);
              },
          .decompress =
              [threads](std::span<const std::byte> file, synth::Precision,
                        std::span<std::byte> original) {
                expect_original_bytes("memcpy", file.size(), original.size());
                copy(file, original.data(), threads);
              }};
}

}  // namespace fpsynth::baselines
