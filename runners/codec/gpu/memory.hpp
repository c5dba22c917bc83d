#pragma once
// The working memory of a thread block that runs the stages of a chunk.

#include <cstddef>
#include <cstdint>

#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"
#include "runners/device/block_memory.hpp"

namespace fpsynth::codec {

/// Bytes of an area's scratch memory and two blocks, and of the team's memory after them.
FPSYNTH_INLINE constexpr std::size_t area_bytes(device::BlockArea area, std::uint32_t lanes) {
  return area.bytes == 0 ? 0 : area.block_at(2) + teams::block_team_bytes(area.bytes, lanes);
}

/// The area for blocks of up to `longest` bytes. `narrowest`: bytes of the narrowest word.
FPSYNTH_INLINE constexpr device::BlockArea area_for(std::size_t longest, std::size_t narrowest) {
  const std::size_t bytes = components::round_up_to_alignment(longest);
  return {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes / narrowest)};
}

/// A program's working memory: two blocks, and scratch and team memory for one stage. The latter
/// two are in the memory (shared or spilled) that holds the longer of the stage's two blocks.
struct ProgramMemory : device::BlockMemory<device::EqualBlocks> {
  FPSYNTH_INLINE components::Scratch scratch(std::uint32_t longer) const {
    return fits(0, longer) ? shared_scratch() : spilled_scratch();
  }
  FPSYNTH_INLINE std::byte* team(std::uint32_t longer) const { return block(2, longer); }
};

}  // namespace fpsynth::codec
