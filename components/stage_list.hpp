#pragma once
// The stages of a pipeline as lists of numbers, on which alone the layout of a container depends. A
// list may be known to the compiler (StaticStages), be made at run time, or be read on a device.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "components/words/bits.hpp"

namespace fpsynth::components {

/// A stage in a list.
template <class S>
concept ListedStage = requires(const S& stage, std::size_t words) {
  std::uint8_t(stage.wire());       // the family's number in files
  std::uint8_t(stage.parameter());  // n of DIMn and LNVn; 0 for other families
  std::size_t(stage.word_bytes());  // of the words that the stage runs on
  unsigned(stage.frame_fields());   // lengths in a frame: 0, 1 (words) or 2 (words, values)
  std::size_t(stage.bound(words));  // longest output, in words, of `words` words
};

/// A visitor that accepts only types that are a ListedStage.
struct StageVisitor {
  template <ListedStage S>
  bool operator()(std::size_t, const S&) const;
};

/// A list of stages, first to last. for_each(f) calls f(index, stage) for each until one returns
/// false, and returns whether none did. `Length` counts the bytes of a block.
template <class L>
concept StageList = requires(const L& list, StageVisitor visitor) {
  typename L::Length;
  std::size_t(list.size());
  std::size_t(list.cut());         // how many stages run on words; the others run on bytes
  std::size_t(list.word_bytes());  // of the original's words
  bool(list.for_each(visitor));
};

/// A stage that the compiler knows, on words of type V.
template <class Use, class V>
struct StaticStage {
  using Family = typename Use::Family;
  FPSYNTH_INLINE static constexpr std::uint8_t wire() { return Family::wire; }
  FPSYNTH_INLINE static constexpr std::uint8_t parameter() { return std::uint8_t(Use::parameter); }
  FPSYNTH_INLINE static constexpr std::size_t word_bytes() { return sizeof(V); }
  FPSYNTH_INLINE static constexpr unsigned frame_fields() { return Family::frame_fields; }
  FPSYNTH_INLINE static constexpr bool has_tables() { return Family::has_tables; }
  FPSYNTH_INLINE static constexpr std::size_t bound(std::size_t words) {
    return Family::template bound<V>(words);
  }
};

/// The stages Uses..., of which the first `Cut` run on words of type W. An object has no state; the
/// compiler unrolls for_each().
template <class W, unsigned Cut, class... Uses>
struct StaticStages {
  using Length = std::size_t;
  FPSYNTH_INLINE static constexpr std::size_t size() { return sizeof...(Uses); }
  FPSYNTH_INLINE static constexpr std::size_t cut() { return Cut; }
  FPSYNTH_INLINE static constexpr std::size_t word_bytes() { return sizeof(W); }

  template <class F>
  FPSYNTH_INLINE static constexpr bool for_each(F f) {
    return visit(f, std::index_sequence_for<Uses...>());
  }

 private:
  template <class F, std::size_t... I>
  FPSYNTH_INLINE static constexpr bool visit(F& f, std::index_sequence<I...>) {
    return (f(I, StaticStage<Uses, std::conditional_t<(I < Cut), W, std::uint8_t>>()) && ...);
  }
};

/// The number of words of `own` bytes in a block of `words` words of `before` bytes: a block keeps
/// its bytes from one stage to the next.
template <class Length>
FPSYNTH_INLINE constexpr Length rescale(Length words, std::size_t before, std::size_t own) {
  return before == own ? words : Length(words * (before / own));
}

/// Calls f(index, stage, words) for every stage; `words` is the length of its longest output for a
/// chunk of `chunk_words` words.
template <StageList List, class F>
FPSYNTH_INLINE constexpr void for_each_worst_case(const List& list, std::size_t chunk_words, F f) {
  std::size_t words = chunk_words, before = list.word_bytes();
  list.for_each([&](std::size_t index, const auto& stage) {
    words = stage.bound(rescale(words, before, stage.word_bytes()));
    before = stage.word_bytes();
    f(index, stage, words);
    return true;
  });
}

/// Bytes of the longest output of stage `last` for a chunk of `chunk_words` words.
template <StageList List>
FPSYNTH_INLINE constexpr std::size_t worst_case_bytes(const List& list, std::size_t chunk_words,
                                                      std::size_t last) {
  std::size_t bytes = 0;
  for_each_worst_case(list, chunk_words,
                      [&](std::size_t index, const auto& stage, std::size_t words) {
                        if (index == last) bytes = words * stage.word_bytes();
                      });
  return bytes;
}

/// The longest block, in bytes, before or after any stage.
template <StageList List>
FPSYNTH_INLINE constexpr std::size_t longest_block(const List& list, std::size_t chunk_words) {
  std::size_t longest = chunk_words * list.word_bytes();
  for_each_worst_case(list, chunk_words, [&](std::size_t, const auto& stage, std::size_t words) {
    longest = words::larger(longest, words * stage.word_bytes());
  });
  return longest;
}

/// True if lengths in frames take 32 bits, because a stage's output can exceed 65,535 words.
template <StageList List>
FPSYNTH_INLINE constexpr bool wide_frames(const List& list, std::size_t chunk_words) {
  bool wide = false;
  for_each_worst_case(list, chunk_words, [&](std::size_t, const auto&, std::size_t words) {
    wide = wide || words > 0xffff;
  });
  return wide;
}

/// True if a stage needs Scratch::tables.
template <StageList List>
FPSYNTH_INLINE constexpr bool has_tables(const List& list) {
  return !list.for_each([](std::size_t, const auto& stage) { return !stage.has_tables(); });
}

/// Bytes of a chunk's frame.
template <StageList List>
FPSYNTH_INLINE constexpr std::size_t frame_bytes(const List& list, std::size_t chunk_words) {
  std::size_t fields = 0;
  list.for_each([&](std::size_t, const auto& stage) {
    fields += stage.frame_fields();
    return true;
  });
  return fields * (wide_frames(list, chunk_words) ? 4 : 2);
}

}  // namespace fpsynth::components
