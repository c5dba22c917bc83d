#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "components/extent.hpp"
#include "components/reducer.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/block_counts.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

/// ZE: a bitmap of the non-zero words, then those words in order (MPC paper, IV.D).
struct Ze : Reducer<Ze> {
  static constexpr std::string_view name = "ZE", suffix = "";
  static constexpr std::uint8_t wire = 6;
  static constexpr bool parametric = false, identity = false;
  static constexpr std::uint8_t frame_fields = 1;

  template <class W>
  static constexpr std::size_t bitmap_words(std::size_t n) {
    return words::words_for(n, words::kBits<W>);
  }
  template <class W>
  static constexpr std::size_t bound(std::size_t n) {
    return n + bitmap_words<W>(n);
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static void count(Team& team, const W* in, std::size_t n, const Scratch&,
                                   teams::WordCounts& counts) {
    counts.nonzero =
        std::uint32_t(team.template count_if<W>(n, [=](auto i) { return i.load(in) != W{0}; }));
  }
  template <class W>
  FPSYNTH_INLINE static Extent measured(const teams::WordCounts& counts, std::size_t n) {
    return {std::uint32_t(bitmap_words<W>(n) + counts.nonzero), 0};
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static Extent encode(Team& team, const W* in, std::size_t n, W* out, auto,
                                      const Scratch& scratch) {
    std::uint64_t* const mask = scratch.mask;
    team.template flags<W>(n, mask, [=](auto i) { return i.load(in) != W{0}; });
    // In little-endian order, a mask of 64-bit words has the same bytes as a bitmap of words of any
    // size.
    const std::size_t bitmap = bitmap_words<W>(n);
    team.template for_each<W>(0, bitmap, [=](auto i) { i.store(out, i.load(mask)); });
    const std::size_t kept =
        team.template compact<W>(n, mask, out + bitmap, [=](auto i) { return i.load(in); });
    return {std::uint32_t(bitmap + kept), 0};
  }

  template <class W, teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const W* in, Extent extent, W* out, std::size_t n,
                                    auto, const Scratch& scratch) {
    const std::size_t bitmap = bitmap_words<W>(n);
    if (extent.words < bitmap) return false;
    // The mask's last word may reach past the bitmap, and the bitmap's last word has bits past the
    // block, which must be 0.
    const std::size_t last = words::words_for(n, 64) - 1;
    std::uint64_t end;
    std::memcpy(&end, reinterpret_cast<const std::byte*>(in) + 8 * last, sizeof(end));
    end &= words::low_mask(bitmap * words::kBits<W> - 64 * last);
    if (end & ~words::low_mask(n - 64 * last)) return false;
    std::uint64_t* const mask = scratch.mask;
    team.template for_each<W>(0, last * 64 / words::kBits<W>,
                              [=](auto i) { i.store(mask, i.load(in)); });
    team.single([=] { mask[last] = end; });
    return team.template expand<W>(n, mask, in + bitmap, extent.words - bitmap, out);
  }
};

}  // namespace fpsynth::components
