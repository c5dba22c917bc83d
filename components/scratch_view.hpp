#pragma once
// The layout of the working memory that a stage has besides its input and output block. The runner
// owns the memory.

#include <cstddef>
#include <cstdint>

#include "components/words/bits.hpp"

namespace fpsynth::components {

/// Blocks start at a multiple of this many bytes.
inline constexpr std::size_t kBlockAlignment = 64;
/// Bytes before and after a block that a stage may read. It may also overwrite those after an
/// output block. The first item's predecessor and the last vector therefore need no special case.
inline constexpr std::size_t kBlockSlack = 64;

/// Views of the working memory for blocks of up to `items` items. Bit masks have one bit per item,
/// bit i mod 64 of word i div 64. `mask`, `starts` and `runs` each have a guard word at index -1
/// that is always zero.
struct Scratch {
  std::uint64_t* mask = nullptr;    ///< items/64 words, rounded up, plus one vector
  std::uint64_t* starts = nullptr;  ///< a second mask of the same size
  std::uint64_t* runs = nullptr;    ///< one 64-bit word per mask word
  std::uint8_t* bytes = nullptr;    ///< one byte per item, plus one vector
  std::byte* tables = nullptr;      ///< up to kTableBytes bytes, for families with `has_tables`
  std::size_t items = 0;
  /// Bytes for the output of RLE on many lanes. If they do not suffice, it writes no tokens: its
  /// Extent tells.
  std::uint32_t room = ~std::uint32_t{0};
};
/// Bytes for what a stage counts or decides once for a block, if its family has `has_tables`.
/// Decoders of the paper's components do without Scratch::bytes, too: the search on a GPU has
/// neither for them.
inline constexpr std::size_t kTableBytes = 16384;

FPSYNTH_INLINE constexpr std::size_t round_up_to_alignment(std::size_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

/// Bytes of one mask of a scratch: a cache line before the bits (its last word is the guard), the
/// items' bits, a cache line of slack.
FPSYNTH_INLINE constexpr std::size_t mask_bytes(std::size_t items) {
  return 2 * kBlockAlignment + round_up_to_alignment((items + 63) / 64 * 8);
}
/// Bytes that the masks of a scratch for blocks of up to `items` items take.
FPSYNTH_INLINE constexpr std::size_t masks_bytes(std::size_t items) {
  return 3 * mask_bytes(items) + kBlockAlignment;
}
/// Bytes that the scratch for blocks of up to `items` items takes, with tables or without.
FPSYNTH_INLINE constexpr std::size_t scratch_bytes(std::size_t items, bool tables = true) {
  return masks_bytes(items) + kBlockAlignment + round_up_to_alignment(items) +
         (tables ? kTableBytes : 0);
}
/// Lays a scratch out in `memory`: scratch_bytes(items) bytes, aligned to kBlockAlignment, all 0.
/// Without tables, Scratch::tables must not be used.
FPSYNTH_INLINE Scratch scratch_in(std::byte* memory, std::size_t items) {
  std::byte* const first = memory + kBlockAlignment;
  const std::size_t next = mask_bytes(items);
  return {reinterpret_cast<std::uint64_t*>(first),
          reinterpret_cast<std::uint64_t*>(first + next),
          reinterpret_cast<std::uint64_t*>(first + 2 * next),
          reinterpret_cast<std::uint8_t*>(first + 3 * next),
          first + 3 * next + kBlockAlignment + round_up_to_alignment(items),
          items};
}

}  // namespace fpsynth::components
