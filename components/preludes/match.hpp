#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// MATCH: copies of earlier words, at any distance, leave the words. What is left, the literals,
/// stands first, and zeros take the place of what has left. Where a copy stood, how long it is and
/// which literals it repeats is side data. Sources are literals alone: no copy is one of a copy.
struct Match {
  static constexpr std::string_view name = "MATCH", suffix = "", type = "Match";
  static constexpr std::uint8_t wire = 9;
  static constexpr Shape shape = Shape::Matched;
  static constexpr bool parametric = false;
  template <class W>
  static constexpr ParameterRange range{};
  /// Copies are looked for among so many words: the numbers of side data have 32 bits.
  static constexpr std::uint64_t kMost = 0xffffffff;
  static constexpr bool kTurned = false;
  /// Words of the shortest copy: fewer are not worth its side data.
  static constexpr std::size_t kShortest = 32;
  /// Words that only leave together.
  FPSYNTH_INLINE static constexpr std::uint64_t record_words(std::uint64_t) { return 1; }

  /// Sequences of so many words may be anchors, at which copies are looked for. Their own words
  /// decide it, so that an anchor within a copy is one within its source, too: all of up to 8,192
  /// words are, one in 32 of 262,144 and more.
  static constexpr std::size_t kAnchorWords = 3;
  class Anchor {
   public:
    FPSYNTH_INLINE explicit Anchor(std::size_t n) {
      while (bits_ < 5 && n >> (bits_ + 13) != 0) ++bits_;
      while (table_bits_ < 20 && n >> (table_bits_ + bits_) != 0) ++table_bits_;
    }
    template <class W>
    FPSYNTH_INLINE static std::uint64_t hash(W a, W b, W c) {
      const std::uint64_t sum = std::uint64_t{a} * 0x9e3779b97f4a7c15u +
                                std::uint64_t{b} * 0xc2b2ae3d27d4eb4fu +
                                std::uint64_t{c} * 0x165667b19e3779f9u;
      return (sum ^ sum >> 32) * 0xd6e8feb86659fd93u;
    }
    FPSYNTH_INLINE bool is(std::uint64_t hash) const {
      return (hash >> 59 ^ 7) >> (5 - bits_) == 0;
    }
    /// The slot of an anchor's hash in a table of so many.
    FPSYNTH_INLINE std::size_t slot(std::uint64_t hash) const {
      return std::size_t(hash << bits_ >> (64 - table_bits_));
    }
    FPSYNTH_INLINE std::size_t slots() const { return std::size_t{1} << table_bits_; }

   private:
    unsigned bits_ = 0, table_bits_ = 10;
  };

  /// A copy, and the literals behind it up to the next one.
  struct Segment {
    std::uint64_t begin;   ///< the copy's first word
    std::uint64_t copied;  ///< words of this copy and of all before it
    std::uint32_t length, source;

    /// The literal that stands for the word `i` of the segment.
    FPSYNTH_INLINE std::uint64_t literal(std::uint64_t i) const {
      const std::uint64_t at = i - begin;
      return at < length ? source + at : i - copied;
    }
  };
  /// The one of `count` segments, whose begins ascend from 0, that has the word `i`.
  FPSYNTH_INLINE static std::uint64_t segment_of(const Segment* segments, std::uint64_t count,
                                                 std::uint64_t i) {
    std::uint64_t first = 0;
    while (count > 1) {
      const std::uint64_t half = count / 2;
      if (segments[first + half].begin <= i) first += half;
      count -= half;
    }
    return first;
  }
};

}  // namespace fpsynth::preludes
