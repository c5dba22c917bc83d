#include "results/documents/chunk_ranges.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "synth/common/raise.hpp"

namespace fpsynth::results {

std::vector<ChunkRange> normalized(std::vector<ChunkRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<ChunkRange> joined;
  for (const ChunkRange& range : ranges) {
    if (range.begin >= range.end) {
      if (range.begin == range.end) continue;
      raise("chunks [{}, {}) end before they begin", range.begin, range.end);
    }
    if (!joined.empty() && range.begin < joined.back().end) {
      raise("chunks [{}, {}) and [{}, {}) overlap and would count twice; leave one of them out",
            joined.back().begin, joined.back().end, range.begin, range.end);
    }
    if (!joined.empty() && range.begin == joined.back().end) {
      joined.back().end = range.end;
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::uint64_t chunks_in(std::span<const ChunkRange> ranges, const ChunkRange& part) {
  std::uint64_t chunks = 0;
  for (const ChunkRange& range : ranges) {
    const std::uint64_t begin = std::max(range.begin, part.begin);
    chunks += std::max(begin, std::min(range.end, part.end)) - begin;
  }
  return chunks;
}

std::vector<ChunkRange> missing_in(std::span<const ChunkRange> ranges, const ChunkRange& part) {
  std::vector<ChunkRange> missing;
  std::uint64_t from = part.begin;
  for (const ChunkRange& range : ranges) {
    const std::uint64_t begin = std::min(range.begin, part.end);
    if (begin > from) missing.push_back({from, begin});
    from = std::max(from, range.end);
  }
  if (from < part.end) missing.push_back({from, part.end});
  return missing;
}

std::string to_string(std::span<const ChunkRange> ranges) {
  std::string text;
  for (const ChunkRange& range : ranges) {
    text += fmt::format("{}[{}, {})", text.empty() ? "" : ", ", range.begin, range.end);
  }
  return text.empty() ? "none" : text;
}

}  // namespace fpsynth::results
