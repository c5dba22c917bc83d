#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/bitmap_reducer.hpp"
#include "components/block_counts.hpp"

namespace fpsynth::components {

/// RRE, repetition elimination: a bitmap of the words that differ from the word before them, then
/// those words in order. The first word counts as differing.
struct Rre : BitmapReducer<Rre, ChangedWords, PlainBitmap> {
  static constexpr std::string_view name = "RRE";
  static constexpr std::uint8_t wire = 8;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void count(Team& team, const W* in, std::size_t n, const Scratch&,
                                   teams::WordCounts& counts) {
    // The first word, which has none before it, is always kept.
    const std::size_t changed =
        team.template count_if<W>(n - 1, [=](auto i) { return i.load(in, 1) != i.load(in); });
    counts.literals = std::uint32_t(1 + changed);
  }
  template <class W>
  FPSYNTH_INLINE static Extent measured(const teams::WordCounts& counts, std::size_t n) {
    return {std::uint32_t(PlainBitmap::bound<W>(n) + counts.literals), 0};
  }
};

}  // namespace fpsynth::components
