#pragma once
// Counts of a block, found in one pass, which determine the lengths of the reducers' outputs; and a
// block whose counts are known.

#include <array>
#include <cstddef>
#include <cstdint>

#include "components/scratch_view.hpp"

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

namespace fpsynth::components {

/// A block whose counts are known. From it, the counts of the blocks that stages would produce are
/// found without producing them. The families have `count_output` functions that read it;
/// StageTable::prepare() fills it. A family that has none, or that does not know the counts of a
/// particular output, must produce the block. Used by one thread.
struct CountedBlock {
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// DIM and LNV compare words with those before them, which are zeros before the first word.
  static constexpr std::size_t kZeros = 256;

  std::byte* block = nullptr;  ///< a copy, with kZeros bytes of zeros before it, and slack after it
  teams::BlockCounts counts;
  /// The outputs of LNV1s and LNV1x on the block's bytes: kBlockSlack bytes of zeros are before
  /// each of them, and kBlockSlack bytes after it may be overwritten.
  std::byte *differences = nullptr, *exclusive_ors = nullptr;
  /// By k: the number of bytes that differ from the byte k before them. LNV counts each once and
  /// remembers it.
  mutable std::array<std::uint32_t, kBlockSlack + 1> different{};
};

}  // namespace fpsynth::components
