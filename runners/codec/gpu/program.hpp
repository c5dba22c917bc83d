#pragma once
// The concept Program: the stages of a pipeline as the codec's kernels run them on a chunk, either
// read from a list (InterpretedProgram) or compiled in, for generated codecs (StaticProgram).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"
#include "components/teams/hardware.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/format/layout.hpp"
#include "runners/device/block_memory.hpp"

namespace fpsynth::codec {

// The working memory of a thread block that runs the stages of a chunk.

/// Bytes of an area's scratch memory and two blocks, and of the team's memory after them.
FPSYNTH_INLINE constexpr std::size_t area_bytes(device::BlockArea area, std::uint32_t lanes) {
  return area.bytes == 0 ? 0 : area.block_at(2) + teams::block_team_bytes(area.bytes, lanes);
}

/// The area for blocks of up to `longest` bytes. `narrowest`: bytes of the narrowest word;
/// `tables`: whether a stage needs Scratch::tables.
FPSYNTH_INLINE constexpr device::BlockArea area_for(std::size_t longest, std::size_t narrowest,
                                                    bool tables) {
  const std::size_t bytes = components::round_up_to_alignment(longest);
  return {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes / narrowest), tables};
}

/// A program's working memory: two blocks, and scratch and team memory for one stage. The latter
/// two are in the memory (shared or spilled) that holds the longer of the stage's two blocks.
template <device::BlockLayout Layout>
struct ProgramMemory : device::BlockMemory<Layout> {
  FPSYNTH_INLINE components::Scratch scratch(std::uint32_t longer) const {
    return this->fits(0, longer) ? this->shared_scratch() : this->spilled_scratch();
  }
  FPSYNTH_INLINE std::byte* team(std::uint32_t longer) const { return this->block(2, longer); }
};

/// A chunk's encoded block.
struct EncodedBlock {
  const std::byte* block;
  std::uint32_t bytes;
};

/// The chunk that a thread block of either kernel works on. Stored in its shared memory, before its
/// working memory.
struct CurrentChunk {
  std::uint64_t chunk, offset;  ///< its number, and where its block begins
  std::uint32_t fault, spare;
  components::Extent extents[kMostStages];

  static std::size_t shared_bytes(device::BlockArea area, std::uint32_t lanes) {
    return components::round_up_to_alignment(sizeof(CurrentChunk)) + area_bytes(area, lanes);
  }
};

/// A program as the host and the arguments of kernels see it.
///
///   Word                           the word type of its chunks
///   kBlocksPerMultiprocessor       the number of thread blocks that registers must suffice for
///   preferred_block_bytes()        bytes of a block in shared memory that it prefers
///   fewer_block_bytes(bytes)       the next size to try if `bytes` do not fit
///   only_shared()                  whether it cannot use less than it prefers
///   chunk_words, frame_bytes       of a chunk
///   worst_block                    the most bytes of a chunk's last block
///   blocks                         its memory layout, set by the host; nothing is spilled if all
///                                  blocks fit into shared memory
///   Fitting                        EqualBlocks or SharedBlocks: the layout as the kernels know it
///                                  that run if nothing is spilled
template <class P>
concept ProgramSizes = std::is_trivially_copyable_v<P> && requires(P program, std::uint32_t bytes) {
  typename P::Word;
  requires std::derived_from<typename P::Fitting, device::EqualBlocks>;
  { P::kBlocksPerMultiprocessor } -> std::convertible_to<std::uint32_t>;
  { program.preferred_block_bytes() } -> std::same_as<std::uint32_t>;
  { P::fewer_block_bytes(bytes) } -> std::same_as<std::uint32_t>;
  { program.only_shared() } -> std::same_as<bool>;
  { program.chunk_words } -> std::same_as<std::uint32_t&>;
  { program.frame_bytes } -> std::same_as<std::uint32_t&>;
  { program.worst_block } -> std::same_as<std::uint32_t&>;
  { program.blocks } -> std::same_as<device::EqualBlocks&>;
};

/// A program with its stages. All lanes of a thread block call these with the same arguments (only
/// lane 0 needs `frame`), with barriers between the calls:
///
///   input(memory, bytes)            where encode() wants the chunk, and decode() the block
///   encode(hardware, memory, in, words, frame)
///                                  the last stage's block, until the next call
///   read_frame(frame, words, extents)
///                                  called by one lane: the first stage with an impossible length,
///                                  or kGoodFrame
///   length(extents)                bytes of the last stage's block
///   decode(hardware, memory, in, extents, words)
///                                  the chunk; null if the block is not a valid encoding
template <class P>
concept Program = ProgramSizes<P> &&
    requires(const P program, teams::DeclaredHardware hardware,
             const ProgramMemory<typename P::Fitting> memory, const std::byte* in,
             std::uint32_t count, std::byte* frame, components::Extent* read,
             const components::Extent* extents) {
  { program.input(memory, count) } -> std::same_as<std::byte*>;
  { program.encode(hardware, memory, in, count, frame) } -> std::same_as<EncodedBlock>;
  { program.read_frame(in, count, read) } -> std::same_as<std::uint32_t>;
  { program.length(extents) } -> std::same_as<std::uint32_t>;
  { program.decode(hardware, memory, in, extents, count) } -> std::same_as<const std::byte*>;
};

}  // namespace fpsynth::codec
