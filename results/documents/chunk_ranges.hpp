#pragma once
// Ranges of the chunks of a run: those that a document has, and those that are still to be
// searched.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fpsynth::results {

/// Searched chunks begin..end-1, counted from 0 among the chunks_total of the run.
struct ChunkRange {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
  friend auto operator<=>(const ChunkRange&, const ChunkRange&) = default;
};

/// Sorts ranges and joins adjoining ones. Throws Error if two overlap.
std::vector<ChunkRange> normalized(std::vector<ChunkRange> ranges);

/// The chunks of disjoint ranges, or those of them that are in `part`.
std::uint64_t chunks_in(std::span<const ChunkRange> ranges,
                        const ChunkRange& part = {0, ~std::uint64_t{0}});

/// The ranges of `part` that ascending, disjoint ranges lack.
std::vector<ChunkRange> missing_in(std::span<const ChunkRange> ranges, const ChunkRange& part);

/// "[0, 8), [16, 24)"; "none" for no range.
std::string to_string(std::span<const ChunkRange> ranges);

}  // namespace fpsynth::results
