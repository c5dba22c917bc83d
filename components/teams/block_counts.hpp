#pragma once
// The counts that determine the lengths of the reducers' outputs, found in one pass over a block.

#include <cstddef>
#include <cstdint>

namespace fpsynth::teams {

/// Counts of a block of words of one size.
struct WordCounts {
  std::uint32_t nonzero = 0;   ///< words other than 0
  std::uint32_t literals = 0;  ///< words that differ from the word before them; the first is one
  std::uint32_t tokens = 0;  ///< runs of literals and repeats, cut into pieces of at most 128 words
  friend bool operator==(const WordCounts&, const WordCounts&) = default;
};

/// Counts of a block as words, and of the same block as bytes.
struct BlockCounts {
  WordCounts words, bytes;
  friend bool operator==(const BlockCounts&, const BlockCounts&) = default;
};

}  // namespace fpsynth::teams
