#pragma once
// The concept Program: the stages of a pipeline as the codec's kernels run them on a chunk, read
// from a list (InterpretedProgram) or, for generated codecs, compiled in (StaticProgram).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/extent.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/hardware.hpp"
#include "runners/codec/format/frames.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/gpu/memory.hpp"

namespace fpsynth::codec {

/// A block that a program has made.
struct Made {
  const std::byte* block;
  std::uint32_t bytes;
};

/// The chunk that a thread block works on, of either kernel: in its shared memory, in front of
/// its working memory.
struct CurrentChunk {
  std::uint64_t chunk, offset;  ///< which one, and where its block begins
  std::uint32_t fault, spare;
  components::Extent extents[kMostStages];

  static std::size_t shared_bytes(device::BlockArea area, std::uint32_t lanes) {
    return components::round_up_to_alignment(sizeof(CurrentChunk)) + area_bytes(area, lanes);
  }
};

/// What the host and a kernel's arguments know of a program.
///
///   Word                           the word type of its chunks
///   kBlocksPerMultiprocessor       how many thread blocks registers are kept for
///   room_asked(), less_room(room)  bytes of a block in shared memory: what it asks for, and what
///                                  next where there is less
///   only_shared()                  whether it cannot do with less
///   chunk_words, frame_bytes       of a chunk
///   worst_block                    bytes that a chunk's last block has at most
///   blocks                         how its memory is laid out, set by the host; nothing is spilled
///                                  where all blocks fit into shared memory
template <class P>
concept ProgramSizes = std::is_trivially_copyable_v<P> && requires(P program, std::uint32_t room) {
  typename P::Word;
  { P::kBlocksPerMultiprocessor } -> std::convertible_to<std::uint32_t>;
  { program.room_asked() } -> std::same_as<std::uint32_t>;
  { P::less_room(room) } -> std::same_as<std::uint32_t>;
  { program.only_shared() } -> std::same_as<bool>;
  { program.chunk_words } -> std::same_as<std::uint32_t&>;
  { program.frame_bytes } -> std::same_as<std::uint32_t&>;
  { program.worst_block } -> std::same_as<std::uint32_t&>;
  { program.blocks } -> std::same_as<device::EqualBlocks&>;
};

/// A program with its stages, which all lanes of a thread block call with the same arguments (but
/// for `frame`, which only lane 0 needs) between barriers:
///
///   input(memory, bytes)            where to put the chunk that encode() is to encode
///   encode(hardware, memory, in, words, frame)
///                                  the last stage's block, until the next call
///   read_frame(frame, words, extents)
///                                  called by one lane: the first stage whose length cannot be,
///                                  or kGoodFrame
///   length(extents)                bytes of the last stage's block
///   output(memory, bytes)           where to put the block that decode() is to decode
///   decode(hardware, memory, in, extents, words)
///                                  the chunk; null if encode() makes no such block
template <class P>
concept Program = ProgramSizes<P> &&
    requires(const P program, teams::DeclaredHardware hardware, const ProgramMemory memory,
             const std::byte* in, std::uint32_t count, std::byte* frame, components::Extent* made,
             const components::Extent* extents) {
  { program.input(memory, count) } -> std::same_as<std::byte*>;
  { program.encode(hardware, memory, in, count, frame) } -> std::same_as<Made>;
  { program.read_frame(in, count, made) } -> std::same_as<std::uint32_t>;
  { program.length(extents) } -> std::same_as<std::uint32_t>;
  { program.output(memory, count) } -> std::same_as<std::byte*>;
  { program.decode(hardware, memory, in, extents, count) } -> std::same_as<const std::byte*>;
};

}  // namespace fpsynth::codec
