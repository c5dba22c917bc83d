#include "runners/baselines/gfc/format.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "runners/baselines/compressor.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {

using namespace gfc_lanes;

void refuse_gfc(std::string_view name, std::size_t offset, std::string_view what) {
  throw Error(fmt::format("{}: byte {}: {}; the file is damaged or not a GFC file; create it again",
                          name, offset, what));
}

void check_gfc(unsigned chunks, unsigned dimensionality) {
  expect_allowed("GFC with {} chunks", chunks, 1, kMaxGfcChunks);
  expect_allowed("GFC with dimensionality {}", dimensionality, 1, kMaxGfcDimensionality);
}

GfcLayout gfc_layout(std::size_t bytes, unsigned chunks, unsigned dimensionality) {
  check_gfc(chunks, dimensionality);
  expect_whole_doubles(bytes, "GFC");
  if (bytes > kMostGfcBytes) {
    throw Error(
        fmt::format("{} doubles are more than the 2^32 - 1 that a GFC file holds; split "
                    "them",
                    bytes / 8));
  }
  return {bytes / 8, chunks, dimensionality};
}

void put_gfc_header(const GfcLayout& layout, std::span<const std::size_t> sizes, std::byte* out) {
  store(out, static_cast<std::uint32_t>(layout.doubles));
  out[4] = static_cast<std::byte>(layout.dimensionality);
  store(out + 5, static_cast<std::uint16_t>(layout.chunks));
  for (std::size_t i = 0; i < layout.chunks; ++i) {
    const std::size_t size = i < sizes.size() ? sizes[i] : 0;
    if (size > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(
          fmt::format("chunk {} takes {} bytes, but a chunk of a GFC file has at most "
                      "2^32 - 1; use more than {} chunks",
                      i, size, layout.chunks));
    }
    store(out + gfc_header_bytes(i), static_cast<std::uint32_t>(size));
  }
}

GfcFile parse_gfc(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < gfc_header_bytes(0)) {
    refuse_gfc(name, 0, fmt::format("a header needs 7 bytes, the file has {}", file.size()));
  }
  const std::size_t count = load<std::uint32_t>(file.data());
  const unsigned dimensionality = std::to_integer<unsigned>(file[4]);
  const unsigned chunks = load<std::uint16_t>(file.data() + 5);
  if (dimensionality < 1 || dimensionality > kMaxGfcDimensionality) {
    refuse_gfc(name, 4,
               fmt::format("dimensionality {}; 1 to {} are allowed", dimensionality,
                           kMaxGfcDimensionality));
  }
  if (chunks == 0) refuse_gfc(name, 5, "a file of 0 chunks");
  if (file.size() < gfc_header_bytes(chunks)) {
    refuse_gfc(name, 7,
               fmt::format("{} chunks, but only {} bytes for their sizes", chunks,
                           file.size() - gfc_header_bytes(0)));
  }
  // All sizes are checked to be possible before anything is allocated for the chunks' contents.
  const std::size_t per_chunk = gfc_chunk_doubles(count, chunks);
  std::vector<std::size_t> offsets{gfc_header_bytes(chunks)};
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t bytes = load<std::uint32_t>(file.data() + gfc_header_bytes(i));
    const std::size_t from = std::min(count, i * per_chunk);
    const std::size_t held = std::min(per_chunk, count - from);
    const std::size_t subchunks = (held + kLanes - 1) / kLanes;
    if (bytes < subchunks * kCodeBytes || bytes > subchunks * kWorstSubchunk) {
      refuse_gfc(name, gfc_header_bytes(i),
                 fmt::format("chunk {} of {} doubles cannot take {} bytes", i, held, bytes));
    }
    if (bytes > file.size() - offsets.back()) {
      refuse_gfc(
          name, offsets.back(),
          fmt::format("chunk {} of {} bytes, {} are left", i, bytes, file.size() - offsets.back()));
    }
    offsets.push_back(offsets.back() + bytes);
  }
  if (offsets.back() != file.size()) {
    refuse_gfc(name, offsets.back(),
               fmt::format("{} bytes follow the last chunk", file.size() - offsets.back()));
  }
  return {{count, chunks, dimensionality}, std::move(offsets)};
}

}  // namespace fpsynth::baselines
