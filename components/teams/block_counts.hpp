#pragma once
// What decides how long the outputs of the reducers are, counted in one pass over a block.

#include <cstddef>
#include <cstdint>

namespace fpsynth::teams {

/// Of a block of words of one size.
struct WordCounts {
  std::uint32_t nonzero = 0;   ///< words other than 0
  std::uint32_t literals = 0;  ///< words that differ from the word before them; the first is one
  std::uint32_t tokens = 0;  ///< pieces of at most 128 words that runs of literals and repeats make
  friend bool operator==(const WordCounts&, const WordCounts&) = default;
};

/// Of a block as words, and of the same block as bytes.
struct BlockCounts {
  WordCounts words, bytes;
  friend bool operator==(const BlockCounts&, const BlockCounts&) = default;
};

}  // namespace fpsynth::teams
