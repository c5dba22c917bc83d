#pragma once
// The memory of a thread block that walks a plan: the layouts among which the host chooses one for
// a device.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/scratch_view.hpp"
#include "components/words/bits.hpp"
#include "runners/device/block_memory.hpp"

namespace fpsynth::search {

/// A thread block's blocks of data: one for each depth 0..7, then the leaf's and the decoded one.
using WalkBlocks = device::BlockTable<10>;

/// `lengths`: the longest block at each depth and the leaves' longest (Plan::worst_case_bytes); the
/// first one is that of the blocks that are walked, mostly chunks. `room`: the capacity of every
/// block in shared memory, in bytes; less for blocks that are never that long. The blocks of the
/// first `spilled` depths are not in shared memory, nor is the decoded one. Without verification
/// there is neither that nor the leaf's block.
template <class Lengths>
WalkBlocks walk_blocks(const Lengths& lengths, std::uint32_t room, bool verify,
                       std::size_t spilled = 0) {
  const std::size_t depths = lengths.size() - 1;
  std::size_t longest = verify ? lengths[depths] : 0;
  for (std::size_t depth = 0; depth < depths; ++depth) {
    longest = words::larger<std::size_t>(longest, lengths[depth]);
  }
  // The inputs of stages in shared memory are no longer than a block's capacity. Of the scratch,
  // Scratch::mask alone is there.
  auto blocks =
      WalkBlocks::with_scratches(room, components::mask_bytes(room), std::uint32_t(longest));
  for (std::size_t depth = 0; depth < depths; ++depth) {
    blocks.add(std::uint32_t(lengths[depth]), depth < spilled ? 0 : room);
  }
  if (verify) {
    blocks.add(std::uint32_t(lengths[depths]), room);
    blocks.add(std::uint32_t(longest), 0);
  }
  return blocks;
}

/// The layouts among which the device decides, the one that spills least first, if most blocks that
/// are walked have the length `chunk` or less (few are longer). A capacity of 3/2 chunk is for
/// blocks that RLE expands. Less capacity (a chunk expanded by ZE on bytes, or, counted, one
/// without runs expanded by RLE) may allow more thread blocks on a multiprocessor, which hides more
/// latency than spilling costs. So may the blocks of the first depths in global memory: few edges
/// read them.
template <class Lengths>
std::vector<WalkBlocks> walk_layouts(const Lengths& lengths, std::size_t chunk, bool verify) {
  const std::size_t depths = lengths.size() - 1;
  const auto expanded = std::uint32_t(chunk * 3 / 2), grown = std::uint32_t(chunk * 9 / 8);
  const auto unchanged = std::uint32_t(chunk * 131 / 128);
  std::vector<WalkBlocks> layouts;
  const std::size_t kept = verify ? 1 : 2;  // depths that are not spilled
  for (std::size_t spilled = 0; spilled == 0 || spilled + kept <= depths; ++spilled) {
    for (const std::uint32_t room : {expanded, grown, unchanged}) {
      if (verify && room < grown) continue;
      layouts.push_back(walk_blocks(lengths, room, verify, spilled));
    }
  }
  return layouts;
}

}  // namespace fpsynth::search
