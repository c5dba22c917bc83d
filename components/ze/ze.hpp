#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/bitmap_reducer.hpp"
#include "components/block_counts.hpp"

namespace fpsynth::components {

/// ZE: a bitmap of the non-zero words, then those words in order (MPC paper, IV.D).
struct Ze : BitmapReducer<Ze, NonzeroWords, PlainBitmap> {
  static constexpr std::string_view name = "ZE";
  static constexpr std::uint8_t wire = 6;

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void count(Team& team, const W* in, std::size_t n, const Scratch&,
                                   teams::WordCounts& counts) {
    counts.nonzero =
        std::uint32_t(team.template count_if<W>(n, [=](auto i) { return i.load(in) != W{0}; }));
  }
  template <class W>
  FPSYNTH_INLINE static Extent measured(const teams::WordCounts& counts, std::size_t n) {
    return {std::uint32_t(PlainBitmap::bound<W>(n) + counts.nonzero), 0};
  }
};

}  // namespace fpsynth::components
