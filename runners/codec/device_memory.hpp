#pragma once
// The working memory of a thread block that runs the stages of a chunk.

#include <cstddef>
#include <cstdint>

#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"

namespace fpsynth::codec {

/// How large blocks of one kind of memory may be: two blocks of `room` bytes, the scratch and the
/// team's memory for them. `room` is a multiple of kBlockAlignment; with 0 there is nothing.
struct AreaShape {
  std::uint32_t room = 0;
  std::uint32_t items = 0;  ///< of the narrowest stage in `room` bytes

  FPSYNTH_INLINE std::size_t team_bytes(std::uint32_t lanes) const {
    return components::round_up_to_alignment(teams::block_team_bytes(items, lanes));
  }
  FPSYNTH_INLINE std::size_t bytes(std::uint32_t lanes) const {
    if (room == 0) return 0;
    return team_bytes(lanes) + components::scratch_bytes(items) + 2 * std::size_t{room} +
           3 * components::kBlockSlack;
  }
};

/// Memory laid out by an AreaShape.
struct Area {
  std::byte* team = nullptr;
  components::Scratch scratch;
  std::byte* blocks[2] = {};

  /// To be called by all lanes, with a barrier before the area's use.
  template <class Hardware>
  FPSYNTH_INLINE static Area in(Hardware hardware, std::byte* memory, AreaShape shape) {
    Area area;
    if (shape.room == 0) return area;
    area.team = memory;
    std::byte* const scratch = memory + shape.team_bytes(hardware.lanes());
    area.scratch = components::scratch_in(scratch, shape.items);
    if (hardware.lane() == 0) {  // the words in front must be 0, and stay it
      area.scratch.mask[-1] = area.scratch.starts[-1] = area.scratch.runs[-1] = 0;
    }
    area.blocks[0] = scratch + components::scratch_bytes(shape.items) + components::kBlockSlack;
    area.blocks[1] = area.blocks[0] + shape.room + components::kBlockSlack;
    return area;
  }
};

/// What a program works in: shared memory, and device memory for blocks that outgrow it.
struct Areas {
  Area fast, slow;
  AreaShape fast_shape, slow_shape;

  FPSYNTH_INLINE bool is_fast(std::uint32_t bytes) const { return bytes <= fast_shape.room; }
  /// Block `side` (0 or 1), to hold at most `bytes` bytes.
  FPSYNTH_INLINE std::byte* block(unsigned side, std::uint32_t bytes) const {
    return is_fast(bytes) ? fast.blocks[side] : slow.blocks[side];
  }
  /// Scratch and team memory for a stage whose longer block has `bytes` bytes.
  FPSYNTH_INLINE const Area& around(std::uint32_t bytes) const {
    return is_fast(bytes) ? fast : slow;
  }
};

}  // namespace fpsynth::codec
