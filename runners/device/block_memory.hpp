#pragma once
// The working memory of a thread block that runs stages: scratch memory and numbered blocks, in
// shared memory or, if a block does not fit there, spilled to global memory.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/scratch_view.hpp"

namespace fpsynth::device {

/// Bytes that a block of up to `bytes` bytes occupies, including the slack after it, which is also
/// the slack before the next block.
FPSYNTH_INLINE constexpr std::uint32_t with_slack(std::uint32_t bytes) {
  return std::uint32_t(components::round_up_to_alignment(bytes) + components::kBlockSlack);
}

/// Offsets of blocks in either memory, in bytes from the beginning of its scratch:
///
///   room(k)                            capacity of block k in shared memory, in bytes
///   shared_at(k), spilled_at(k)        its offset
///   shared_items(), spilled_items()    items in the scratches; 0 if there is none
template <class L>
concept BlockLayout = requires(const std::remove_reference_t<L>& layout, std::uint32_t k) {
  { layout.room(k) } -> std::same_as<std::uint32_t>;
  { layout.shared_at(k) } -> std::same_as<std::uint32_t>;
  { layout.spilled_at(k) } -> std::same_as<std::uint32_t>;
  { layout.shared_items() } -> std::same_as<std::uint32_t>;
  { layout.spilled_items() } -> std::same_as<std::uint32_t>;
};

/// Scratch memory and blocks of up to `bytes` bytes each, in one kind of memory. `bytes` is a
/// multiple of kBlockAlignment; 0 means that there is neither.
struct BlockArea {
  std::uint32_t bytes = 0;
  std::uint32_t items = 0;   ///< words of the narrowest stage in `bytes` bytes
  std::uint32_t tables = 0;  ///< 1 if the scratch memory has tables

  FPSYNTH_INLINE constexpr std::uint32_t block_at(std::uint32_t k) const {
    return std::uint32_t(components::scratch_bytes(items, tables) + components::kBlockSlack) +
           k * with_slack(bytes);
  }
};

/// Blocks that all have the same capacity in shared memory.
struct EqualBlocks {
  BlockArea shared, spilled;

  FPSYNTH_INLINE constexpr std::uint32_t room(std::uint32_t) const { return shared.bytes; }
  FPSYNTH_INLINE constexpr std::uint32_t shared_at(std::uint32_t k) const {
    return shared.block_at(k);
  }
  FPSYNTH_INLINE constexpr std::uint32_t spilled_at(std::uint32_t k) const {
    return spilled.block_at(k);
  }
  FPSYNTH_INLINE constexpr std::uint32_t shared_items() const { return shared.items; }
  FPSYNTH_INLINE constexpr std::uint32_t spilled_items() const { return spilled.items; }
};
static_assert(BlockLayout<EqualBlocks>);

/// EqualBlocks that are all in shared memory. The compiler sees that nothing is spilled, so that
/// accesses take fewer instructions.
struct SharedBlocks : EqualBlocks {
  FPSYNTH_INLINE constexpr std::uint32_t room(std::uint32_t) const { return ~0u; }
};
static_assert(BlockLayout<SharedBlocks>);

/// Up to `Most` blocks, each with its own capacity in shared memory.
template <std::uint32_t Most>
struct BlockTable {
  struct Entry {
    std::uint32_t room, shared_at, spilled_at;
  };
  Entry entries[Most] = {};
  std::uint32_t count = 0;
  std::uint32_t shared_scratch_items = 0, spilled_scratch_items = 0;
  std::uint32_t shared_bytes = 0, spilled_bytes = 0;  ///< of the scratches and all blocks

  /// A table without blocks. `shared_scratch`: bytes of the scratch in shared memory, which may be
  /// mask_bytes(shared_items) if other memory is used for all but Scratch::mask.
  static BlockTable with_scratches(std::uint32_t shared_items, std::size_t shared_scratch,
                                   std::uint32_t spilled_items) {
    BlockTable table;
    table.shared_scratch_items = shared_items;
    table.spilled_scratch_items = spilled_items;
    table.shared_bytes = std::uint32_t(shared_scratch + components::kBlockSlack);
    table.spilled_bytes =
        std::uint32_t(components::scratch_bytes(spilled_items) + components::kBlockSlack);
    return table;
  }
  /// Adds a block of up to `longest` bytes with a capacity of `room` bytes in shared memory. A
  /// longer block is spilled.
  void add(std::uint32_t longest, std::uint32_t room) {
    Entry& added = entries[count++];
    added = {longest < room ? longest : room, shared_bytes, spilled_bytes};
    if (added.room > 0) shared_bytes += with_slack(added.room);
    spilled_bytes += with_slack(longest);
  }

  FPSYNTH_INLINE constexpr std::uint32_t room(std::uint32_t k) const { return entries[k].room; }
  FPSYNTH_INLINE constexpr std::uint32_t shared_at(std::uint32_t k) const {
    return entries[k].shared_at;
  }
  FPSYNTH_INLINE constexpr std::uint32_t spilled_at(std::uint32_t k) const {
    return entries[k].spilled_at;
  }
  FPSYNTH_INLINE constexpr std::uint32_t shared_items() const { return shared_scratch_items; }
  FPSYNTH_INLINE constexpr std::uint32_t spilled_items() const { return spilled_scratch_items; }
};
static_assert(BlockLayout<BlockTable<2>>);

/// One thread block's view of its memory. `shared` and `spilled` are aligned to kBlockAlignment and
/// begin with the scratch memory; `spilled` is null if nothing is ever spilled.
template <BlockLayout Layout>
struct BlockMemory {
  std::byte *shared, *spilled;
  Layout layout;  ///< may be a reference

  /// True if block k is in shared memory when it has at most `bytes` bytes.
  FPSYNTH_INLINE bool fits(std::uint32_t k, std::uint32_t bytes) const {
    return bytes <= layout.room(k);
  }
  FPSYNTH_INLINE std::byte* shared_block(std::uint32_t k) const {
    return shared + layout.shared_at(k);
  }
  /// Block k, for at most `bytes` bytes.
  FPSYNTH_INLINE std::byte* block(std::uint32_t k, std::uint32_t bytes) const {
    return fits(k, bytes) ? shared_block(k) : spilled + layout.spilled_at(k);
  }
  FPSYNTH_INLINE components::Scratch shared_scratch() const {
    return components::scratch_in(shared, layout.shared_items());
  }
  FPSYNTH_INLINE components::Scratch spilled_scratch() const {
    return components::scratch_in(spilled, layout.spilled_items());
  }
  /// Called by one lane before the memory is used: the words before the masks must be 0 and stay 0.
  FPSYNTH_INLINE void clear_guards() const {
    if (shared && layout.shared_items() > 0) clear_guards(shared_scratch());
    if (spilled && layout.spilled_items() > 0) clear_guards(spilled_scratch());
  }

 private:
  FPSYNTH_INLINE static void clear_guards(const components::Scratch& scratch) {
    scratch.mask[-1] = scratch.starts[-1] = scratch.runs[-1] = 0;
  }
};

}  // namespace fpsynth::device
