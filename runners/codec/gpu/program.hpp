#pragma once
// The stages of a pipeline as the codec's kernels run them on a chunk: read from a list
// (InterpretedProgram), or, for generated codecs, compiled in (StaticProgram).

#include <cstddef>
#include <cstdint>

#include "components/extent.hpp"
#include "components/scratch_view.hpp"
#include "runners/codec/format/frames.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/gpu/memory.hpp"

namespace fpsynth::codec {

// A program has
//   kBlocksPerMultiprocessor             how many thread blocks registers are kept for
//   Word, room_asked(), less_room(room)  its word type; AreaShape::room of `fast`: what it asks
//                                        for, and what next where there is less
//   only_shared()                        whether it cannot do with less
//   chunk_words, frame_bytes, worst_block, fast, slow
//                                        values that the host sets; where fast.room is less than
//                                        slow.room, blocks longer than it are in the slow area
// and these, which all lanes call with the same arguments (but for `frame`) between barriers:
//   input(areas, bytes)                  where to put the chunk that encode() is to encode
//   encode(...)                          Made: the last block, until the next call
//   read_frame(frame, words, extents)    by one lane: the first stage whose length cannot be, or
//                                        kGoodFrame (frames.hpp)
//   length(extents)                      bytes of the last block
//   output(areas, bytes)                 where to put the block that decode() is to decode
//   decode(...)                          the chunk; null if encode() makes no such block

/// A block that a program has made.
struct Made {
  const std::byte* block;
  std::uint32_t bytes;
};

/// What the lanes of a thread block share about the chunk that they have, at the beginning of their
/// shared memory, before the fast area.
struct BlockState {
  std::uint64_t chunk, offset;  ///< which one, and where its block begins
  std::uint32_t fault, spare;
  components::Extent extents[kMostStages];

  static std::size_t shared_bytes(AreaShape fast, std::uint32_t lanes) {
    return components::round_up_to_alignment(sizeof(BlockState)) + fast.bytes(lanes);
  }
};

}  // namespace fpsynth::codec
