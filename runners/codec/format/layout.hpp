#pragma once
// Frames, the lengths in each chunk that a decoder cannot derive, and the position of every part of
// a container, for any list of stages, on host and device. `wide`: components::wide_frames() of the
// pipeline.

#include <cstddef>
#include <cstdint>

#include "components/family.hpp"
#include "components/stage_list.hpp"
#include "runners/codec/format/header.hpp"

namespace fpsynth::codec {

/// Returned instead of a stage's number if all lengths are possible.
inline constexpr std::uint32_t kGoodFrame = 0xff;

/// True if `extent` can be a stage's output for `words` words: at least one word, no more than the
/// worst case, and no more values than words. The output of a stage without frame fields is as long
/// as its input.
template <components::ListedStage Stage, class Length>
FPSYNTH_INLINE constexpr bool is_possible(const Stage& stage, Length words,
                                          components::Extent extent) {
  const unsigned fields = stage.frame_fields();
  if (fields == 0) return extent.words == words && extent.values == 0;
  if (extent.words < 1 || extent.words > stage.bound(words)) return false;
  return fields == 1 ? extent.values == 0 : extent.values >= 1 && extent.values <= extent.words;
}

/// Calls f(index, stage, words) for every stage with the length of its input, in words of the
/// stage. f() returns the stage's output, which may be impossible. Returns the first stage whose
/// output is not possible, or kGoodFrame. `words`: of the chunk, at least one.
template <components::StageList Stages, class F>
FPSYNTH_INLINE constexpr std::uint32_t first_impossible(const Stages& stages, std::size_t words,
                                                        F f) {
  using Length = typename Stages::Length;
  std::uint32_t bad = kGoodFrame;
  Length length = Length(words);
  std::size_t before = stages.word_bytes();
  stages.for_each([&](std::size_t index, const auto& stage) {
    length = components::rescale(length, before, stage.word_bytes());
    before = stage.word_bytes();
    const components::Extent extent = f(index, stage, length);
    if (!is_possible(stage, length, extent)) {
      bad = std::uint32_t(index);
      return false;
    }
    length = extent.words;
    return true;
  });
  return bad;
}

/// Checks lengths that do not come from a frame: one extent per stage.
template <components::StageList Stages>
FPSYNTH_INLINE constexpr std::uint32_t check_extents(const Stages& stages, std::size_t words,
                                                     const components::Extent* extents) {
  return first_impossible(stages, words,
                          [&](std::size_t index, const auto&, auto) { return extents[index]; });
}

/// Write a length to `out`, or read one from `frame`, and advance the pointer past it.
FPSYNTH_INLINE constexpr void put_length(bool wide, std::uint32_t length, std::byte*& out) {
  if (wide) {
    store(out, length);
  } else {
    store(out, static_cast<std::uint16_t>(length));
  }
  out += wide ? 4 : 2;
}
FPSYNTH_INLINE constexpr std::uint32_t get_length(bool wide, const std::byte*& frame) {
  const std::byte* const at = frame;
  frame += wide ? 4 : 2;
  return wide ? load<std::uint32_t>(at) : load<std::uint16_t>(at);
}

/// Writes a stage's fields of a frame to `out`, and advances `out` past them.
template <components::ListedStage Stage>
FPSYNTH_INLINE constexpr void put_extent(const Stage& stage, bool wide, components::Extent extent,
                                         std::byte*& out) {
  if (stage.frame_fields() >= 1) put_length(wide, extent.words, out);
  if (stage.frame_fields() >= 2) put_length(wide, extent.values, out);
}

/// Writes a chunk's frame to out[0..frame bytes): one extent per stage.
template <components::StageList Stages>
FPSYNTH_INLINE constexpr void write_frame(const Stages& stages, bool wide,
                                          const components::Extent* extents, std::byte* out) {
  stages.for_each([&](std::size_t index, const auto& stage) {
    put_extent(stage, wide, extents[index], out);
    return true;
  });
}

/// Reads the frame of a chunk of `words` words, adds the lengths of the stages that keep their
/// input's length, and checks all. Returns the first stage whose length is impossible, or
/// kGoodFrame. The extents up to and including that stage are what the frame says.
template <components::StageList Stages>
FPSYNTH_INLINE constexpr std::uint32_t read_frame(const Stages& stages, bool wide,
                                                  const std::byte* frame, std::size_t words,
                                                  components::Extent* extents) {
  return first_impossible(stages, words, [&](std::size_t index, const auto& stage, auto length) {
    components::Extent extent{static_cast<std::uint32_t>(length), 0};
    if (stage.frame_fields() >= 1) extent.words = get_length(wide, frame);
    if (stage.frame_fields() >= 2) extent.values = get_length(wide, frame);
    extents[index] = extent;
    return extent;
  });
}

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
