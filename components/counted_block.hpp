#pragma once
// A block whose counts are known. From it, the counts of the blocks that stages would produce are
// found without producing them.

#include <array>
#include <cstddef>
#include <cstdint>

#include "components/scratch_view.hpp"
#include "components/teams/block_counts.hpp"

namespace fpsynth::components {

/// The families have `count_output` functions that read it; StageTable::prepare() fills it. A
/// family that has none, or that does not know the counts of a particular output, must produce the
/// block. Used by one thread.
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
