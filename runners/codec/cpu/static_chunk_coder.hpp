#pragma once
// Runs a static pipeline on one chunk, on a CPU thread. Stages work directly in the caller's memory
// if they can.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/scratch_view.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/format/static_container.hpp"

namespace fpsynth::codec {

/// The memory begin..end - 1, which may contain a block.
struct MemoryRange {
  const std::byte *begin, *end;

  /// True if stages may work on the block in place: it has slack on both sides and is aligned for
  /// words of type V.
  template <class V>
  bool suits(const std::byte* block, std::size_t bytes) const {
    constexpr auto slack = static_cast<std::ptrdiff_t>(components::kBlockSlack);
    return block - begin >= slack && end - block >= static_cast<std::ptrdiff_t>(bytes) + slack &&
           reinterpret_cast<std::uintptr_t>(block) % alignof(V) == 0;
  }
};

/// A thread's coder with its working memory, some ten KiB. It allocates nothing.
template <class Pipeline, class Team>
class alignas(components::kBlockAlignment) StaticChunkCoder {
 public:
  using Container = StaticContainer<Pipeline>;
  using Extents = typename Container::Extents;
  using Word = typename Pipeline::Word;
  using LastWord = typename Container::LastWord;

  StaticChunkCoder() {
    memory_.front = front_ + components::kBlockSlack;
    memory_.back = back_ + components::kBlockSlack;
    std::memset(scratch_, 0, sizeof scratch_);
    memory_.scratch = components::scratch_in(scratch_, Pipeline::kScratchItems);
  }

  /// Encodes the chunk of `words` words at `in`, which is within `source`, to out[0..capacity), and
  /// writes its frame. Returns the block's length in bytes, or 0 if the capacity is too small.
  std::size_t encode(const std::byte* in, std::size_t words, MemoryRange source, std::byte* out,
                     std::size_t capacity, std::byte* frame) {
    const std::size_t bytes = words * sizeof(Word);
    if (!source.suits<Word>(in, bytes)) {
      std::byte* const copy = Pipeline::input_block(memory_);
      std::memcpy(copy, in, bytes);
      in = copy;
    }
    const bool direct = capacity >= Pipeline::kWorst + components::kBlockSlack &&
                        reinterpret_cast<std::uintptr_t>(out) % alignof(LastWord) == 0;
    std::byte* const block = direct ? out : Pipeline::output_block(memory_);
    Team team;
    Extents extents;
    Pipeline::encode(team, in, words, block, extents, memory_);
    const std::size_t length = Container::block_bytes(extents);
    if (length > capacity) return 0;
    if (!direct) std::memcpy(out, block, length);
    Container::write_frame(extents, frame);
    return length;
  }

  /// Decodes a chunk of `words` words to `out` from its block at `in`, which is within `source`,
  /// and its frame, which read_frame() has accepted. Advances `in` to the block's end. Returns
  /// false if the block is not a valid encoding.
  bool decode(const std::byte*& in, MemoryRange source, const std::byte* frame, std::byte* out,
              std::size_t words) {
    Extents extents;
    if (Container::read_frame(frame, words, extents) != kGoodFrame) return false;
    const std::size_t length = Container::block_bytes(extents);
    const std::byte* block = in;
    if (!source.suits<LastWord>(block, length)) {
      std::byte* const copy = Pipeline::input_block(memory_);
      std::memcpy(copy, block, length);
      block = copy;
    }
    in += length;
    // Does not decode to `out` directly: a stage that writes with a stride is slow if memory is not
    // cached yet.
    std::byte* const decoded = Pipeline::output_block(memory_);
    Team team;
    if (!Pipeline::decode(team, block, extents, decoded, words, memory_)) return false;
    std::memcpy(out, decoded, words * sizeof(Word));
    return true;
  }

 private:
  static constexpr std::size_t kBlockBytes =
      components::round_up_to_alignment(Pipeline::kLongest) + 2 * components::kBlockSlack;

  alignas(components::kBlockAlignment) std::byte front_[kBlockBytes];
  alignas(components::kBlockAlignment) std::byte back_[kBlockBytes];
  alignas(components::kBlockAlignment)
      std::byte scratch_[components::scratch_bytes(Pipeline::kScratchItems, Pipeline::kHasTables)];
  typename Pipeline::Memory memory_;
};

}  // namespace fpsynth::codec
