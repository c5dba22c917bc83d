#pragma once
// The position of every part of a container, for any list of stages, on host and device.

#include <cstddef>
#include <cstdint>

#include "components/stage_list.hpp"
#include "runners/codec/format/frames.hpp"
#include "runners/codec/format/header.hpp"

namespace fpsynth::codec {

/// Bytes of original data in a slice. A slice is the run of chunks that a thread takes at once:
/// long enough that handing out slices costs nothing, short enough to keep all threads busy on a
/// file of a few megabytes and to stay in cache until it is hashed and written. Two segments; only
/// chunks of an odd length (which no writer uses) make slices that do not end with a segment.
inline constexpr std::size_t kSliceBytes = std::size_t{128} << 10;

/// Number of chunks in a slice, at least one.
FPSYNTH_INLINE constexpr std::size_t slice_chunks(std::size_t chunk_bytes) {
  return chunk_bytes < kSliceBytes ? kSliceBytes / chunk_bytes : 1;
}

/// Number of chunks in `words` words. The last one may be shorter.
FPSYNTH_INLINE constexpr std::uint64_t chunk_count(std::uint64_t words, std::uint64_t chunk_words) {
  return words / chunk_words + (words % chunk_words != 0 ? 1 : 0);
}
/// Words in a chunk: `chunk_words`, or what is left for the last one.
FPSYNTH_INLINE constexpr std::uint32_t words_in_chunk(std::uint64_t words,
                                                      std::uint32_t chunk_words,
                                                      std::uint64_t chunk) {
  const std::uint64_t left = words - chunk * chunk_words;
  return left < chunk_words ? std::uint32_t(left) : chunk_words;
}

/// Lengths, in bytes, that all containers of a pipeline have in common.
struct ContainerShape {
  std::uint32_t word_bytes, chunk_words;  ///< words in a chunk
  std::uint32_t header_bytes, frame_bytes;
  std::uint32_t worst_block;  ///< the most bytes of a chunk's block

  constexpr std::size_t chunk_bytes() const { return std::size_t{chunk_words} * word_bytes; }
};

template <components::StageList Stages>
constexpr ContainerShape container_shape(const Stages& stages, std::size_t chunk_words) {
  return {static_cast<std::uint32_t>(stages.word_bytes()), static_cast<std::uint32_t>(chunk_words),
          static_cast<std::uint32_t>(header_bytes(stages.size())),
          static_cast<std::uint32_t>(components::frame_bytes(stages, chunk_words)),
          static_cast<std::uint32_t>(
              components::worst_case_bytes(stages, chunk_words, stages.size() - 1))};
}

/// The layout of the container of an original of `original_bytes` bytes. Offsets and lengths are in
/// bytes. Those after the frames are valid only after accept(), because a forged size may overflow
/// them.
struct ContainerLayout {
  ContainerShape shape;
  std::uint64_t original_bytes, words, chunks;
  std::size_t tail_bytes;  ///< the original's last bytes, which fill no word
  std::size_t frames_at, blocks_at;
  std::size_t chunks_in_slice;

  constexpr ContainerLayout(const ContainerShape& of, std::uint64_t bytes)
      : shape(of),
        original_bytes(bytes),
        words(bytes / of.word_bytes),
        chunks(chunk_count(words, of.chunk_words)),
        tail_bytes(static_cast<std::size_t>(bytes % of.word_bytes)),
        frames_at(of.header_bytes + tail_bytes),
        blocks_at(frames_at + static_cast<std::size_t>(chunks) * of.frame_bytes),
        chunks_in_slice(slice_chunks(of.chunk_bytes())) {}

  constexpr std::size_t words_of(std::uint64_t chunk) const {
    return words_in_chunk(words, shape.chunk_words, chunk);
  }
  constexpr std::size_t frame_at(std::uint64_t chunk) const {
    return frames_at + static_cast<std::size_t>(chunk) * shape.frame_bytes;
  }
  /// The most bytes that the container can have; 0 if that is more than memory can hold.
  constexpr std::size_t bound() const {
    const std::size_t most = std::size_t{shape.worst_block} + shape.frame_bytes;
    if (chunks > (SIZE_MAX - frames_at) / most) return 0;
    return blocks_at + static_cast<std::size_t>(chunks) * shape.worst_block;
  }
  /// Ok if a container of `size` bytes is long enough for all its frames, else Damaged. Every chunk
  /// has a frame, because the last stage is a reducing one; so a forged size of the original is
  /// refused here, before anything is allocated for it.
  constexpr Status accept(std::uint64_t size) const {
    const bool fits = size >= frames_at && chunks <= (size - frames_at) / shape.frame_bytes;
    return fits ? Status::Ok : Status::Damaged;
  }

  // The following functions concern slices of the original without its tail.
  constexpr std::size_t slices() const {
    return static_cast<std::size_t>(chunk_count(chunks, chunks_in_slice));
  }
  constexpr std::size_t slice_bytes() const { return chunks_in_slice * shape.chunk_bytes(); }
  constexpr std::uint64_t first_chunk(std::uint64_t slice) const { return slice * chunks_in_slice; }
  constexpr std::uint64_t end_chunk(std::uint64_t slice) const {
    const std::uint64_t end = first_chunk(slice + 1);
    return end < chunks ? end : chunks;
  }
  /// Original bytes of a slice: slice_bytes(), or what is left for the last one.
  constexpr std::size_t bytes_of(std::uint64_t slice) const {
    const std::uint64_t left = original_bytes - tail_bytes - slice * slice_bytes();
    return left < slice_bytes() ? static_cast<std::size_t>(left) : slice_bytes();
  }
};

/// Calls f(chunk, at, length) for every chunk with its block's offset and length in the container
/// in[0..size), which layout.accept() has accepted. Stops at the first frame with an impossible
/// length or block that the container does not contain; also detects bytes after the last block.
template <components::StageList Stages, class F>
Fault find_blocks(const Stages& stages, bool wide, const ContainerLayout& layout,
                  const std::byte* in, std::uint64_t size, F f) {
  components::Extent extents[kMostStages];
  const std::size_t last = stages.size() - 1;
  const std::size_t last_word = last < stages.cut() ? stages.word_bytes() : 1;
  std::uint64_t at = layout.blocks_at;
  for (std::uint64_t chunk = 0; chunk < layout.chunks; ++chunk) {
    const std::byte* const frame = in + layout.frame_at(chunk);
    if (read_frame(stages, wide, frame, layout.words_of(chunk), extents) != kGoodFrame) {
      return {FaultKind::Frame, chunk, 0};
    }
    const std::uint64_t length = std::uint64_t{extents[last].words} * last_word;
    if (length > size - at) return {FaultKind::End, chunk, 0};
    f(chunk, at, length);
    at += length;
  }
  if (at != size) return {FaultKind::Trailing, 0, size - at};
  return {};
}

}  // namespace fpsynth::codec
