#pragma once
// The working memory of a thread block that runs the stages of a chunk.

#include <cstddef>
#include <cstdint>

#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"

namespace fpsynth::codec {

/// Scratch, team memory and two blocks of up to `room` bytes, one behind the other. `room` is a
/// multiple of kBlockAlignment; with 0 there is nothing.
struct AreaShape {
  std::uint32_t room = 0;
  std::uint32_t items = 0;  ///< of the narrowest stage in `room` bytes

  FPSYNTH_INLINE constexpr std::size_t scratch_bytes() const {
    return components::scratch_bytes(items) + components::kBlockSlack;
  }
  FPSYNTH_INLINE constexpr std::size_t blocks_bytes() const {
    return 2 * (std::size_t{room} + components::kBlockSlack);
  }
  FPSYNTH_INLINE constexpr std::size_t bytes(std::uint32_t lanes) const {
    return room == 0 ? 0 : scratch_bytes() + blocks_bytes() + teams::block_team_bytes(room, lanes);
  }
};

/// The memory that blocks of up to `longest` bytes need; `narrowest`: bytes of the narrowest word.
FPSYNTH_INLINE constexpr AreaShape area_for(std::size_t longest, std::size_t narrowest) {
  const std::size_t room = components::round_up_to_alignment(longest);
  return {static_cast<std::uint32_t>(room), static_cast<std::uint32_t>(room / narrowest)};
}

/// What a program works in: shared memory, and device memory for blocks that outgrow it.
struct Areas {
  std::byte *fast, *slow;
  AreaShape fast_shape, slow_shape;

  /// Block `side` (0 or 1), to hold at most `bytes` bytes.
  FPSYNTH_INLINE std::byte* block(unsigned side, std::uint32_t bytes) const {
    const AreaShape shape = shape_for(bytes);
    return base_for(bytes) + shape.scratch_bytes() +
           (side ? shape.room + components::kBlockSlack : 0);
  }
  /// Scratch and team memory for a stage whose longer block has `bytes` bytes.
  FPSYNTH_INLINE components::Scratch scratch(std::uint32_t bytes) const {
    return components::scratch_in(base_for(bytes), shape_for(bytes).items);
  }
  FPSYNTH_INLINE std::byte* team(std::uint32_t bytes) const {
    const AreaShape shape = shape_for(bytes);
    return base_for(bytes) + shape.scratch_bytes() + shape.blocks_bytes();
  }

  /// To be called by one lane before the areas are used, since some words in front of masks must be
  /// 0, and stay it.
  FPSYNTH_INLINE void clear_guards() const {
    for (const std::uint32_t bytes : {std::uint32_t{0}, slow_shape.room}) {
      if (!base_for(bytes) || shape_for(bytes).room == 0) continue;
      const components::Scratch words = scratch(bytes);
      words.mask[-1] = words.starts[-1] = words.runs[-1] = 0;
    }
  }

 private:
  FPSYNTH_INLINE bool is_fast(std::uint32_t bytes) const { return bytes <= fast_shape.room; }
  FPSYNTH_INLINE std::byte* base_for(std::uint32_t bytes) const {
    return is_fast(bytes) ? fast : slow;
  }
  FPSYNTH_INLINE AreaShape shape_for(std::uint32_t bytes) const {
    return {is_fast(bytes) ? fast_shape.room : slow_shape.room,
            is_fast(bytes) ? fast_shape.items : slow_shape.items};
  }
};

}  // namespace fpsynth::codec
