#include "runners/codec/gpu/files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "runners/codec/cpu/parallel.hpp"

namespace fpsynth::codec {

void copy_in_parallel(std::byte* to, std::span<const std::byte> from, int threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::size_t pieces = (from.size() + kPiece - 1) / kPiece;
#pragma omp parallel for num_threads(threads_for(threads, pieces))
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t at = piece * kPiece;
    std::memcpy(to + at, from.data() + at, std::min(kPiece, from.size() - at));
  }
}

void refuse_memory(std::string_view device, std::size_t needed, std::size_t free) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  throw device::DeviceTooSmall(
      fmt::format("{}: the codec needs {} MiB of device memory for this pipeline, but {} MiB are "
                  "available; end other programs that use the GPU, or use --backend cpu",
                  device, needed / kMiB + 1, free / kMiB));
}

}  // namespace fpsynth::codec
