#pragma once
// Frames: the lengths in each chunk that a decoder cannot derive. For any list of stages, on host
// and device. `wide`: components::wide_frames() of the pipeline.

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

}  // namespace fpsynth::codec
