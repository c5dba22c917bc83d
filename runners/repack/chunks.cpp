#include "runners/repack/chunks.hpp"

#include <algorithm>

namespace fpsynth::repack {
namespace {

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

Extents suggested_chunk(const Extents& extents, std::size_t word_bytes) {
  Extents chunk = extents;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    chunk[i] = 1;
    const std::uint64_t row = volume(chunk) * word_bytes;
    const std::uint64_t most = std::clamp<std::uint64_t>(kSuggestedBytes / row, 1, extents[i]);
    // Edges are padded, so the chunks are as equal as they can be.
    chunk[i] = divided_up(extents[i], divided_up(extents[i], most));
    if (row <= kSuggestedBytes) break;
  }
  return chunk;
}

Extents chunk_for(const data::StoredDataset& dataset) {
  const std::uint64_t bytes = volume(dataset.chunk) * dataset.word_bytes;
  const bool kept = !dataset.chunk.empty() && bytes <= kMostBytes &&
                    bytes >= std::min(kLeastBytes, dataset.bytes());
  return kept ? dataset.chunk : suggested_chunk(dataset.extents, dataset.word_bytes);
}

std::uint64_t chunks_of(const Extents& extents, const Extents& chunk) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) count *= divided_up(extents[i], chunk[i]);
  return count;
}

Extents origin_of(std::uint64_t index, const Extents& extents, const Extents& chunk) {
  Extents origin(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    const std::uint64_t count = divided_up(extents[i], chunk[i]);
    origin[i] = index % count * chunk[i];
    index /= count;
  }
  return origin;
}

void for_blocks(const Extents& extents, const Extents& chunk, const Extents& other,
                std::uint64_t most,
                const std::function<void(const Extents& origin, const Extents& block)>& work) {
  Extents block = chunk;
  for (std::size_t i = 0; i < other.size(); ++i) {
    block[i] *= std::min(divided_up(other[i], chunk[i]), divided_up(extents[i], chunk[i]));
  }
  if (volume(block) > most) block = chunk;
  for (std::size_t i = block.size(); i-- > 0;) {
    const std::uint64_t times = std::max<std::uint64_t>(most / volume(block), 1);
    block[i] *= std::min(times, divided_up(extents[i], block[i]));
  }
  const std::uint64_t count = chunks_of(extents, block);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Extents origin = origin_of(i, extents, block);
    Extents part = block;
    for (std::size_t axis = 0; axis < part.size(); ++axis) {
      const std::uint64_t left = divided_up(extents[axis] - origin[axis], chunk[axis]);
      part[axis] = std::min(part[axis], left * chunk[axis]);
    }
    work(origin, part);
  }
}

}  // namespace fpsynth::repack
