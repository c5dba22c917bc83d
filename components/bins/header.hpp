#pragma once
// The header of a block of BINS: its map and its codes.

#include <cstddef>
#include <cstdint>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/bins/work.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

inline constexpr std::size_t kFixedHeader = 6;
/// Of the first byte: the map, if words have zeros that are left out, the number of states, and how
/// many pairs of bytes fill the block's last word.
inline constexpr Byte kMapBits = 7, kHasZeros = 8, kStatesAt = 4, kNoStates = 3, kFillAt = 6;
/// Of the second byte: the parts, the number of codes, and if there is a special word.
inline constexpr Byte kPartsBits = 7, kCodesAt = 3, kCodesBits = 15, kHasSpecial = 0x80;

/// The number of the code that is described as number k: that of classes first.
FPSYNTH_INLINE std::uint32_t described(std::uint32_t k) { return k == 0 ? kOfClasses : k - 1; }

/// Finds where the codes are described. One lane calls it.
template <class W>
FPSYNTH_INLINE void lay_header(Work& work) {
  std::size_t at =
      kFixedHeader + (work.zeros > 0) + (work.special != 0 ? sizeof(W) : 0) + work.code_count;
  for (std::uint32_t k = 0; k <= work.code_count; ++k) {
    work.at[k] = std::uint32_t(at);
    at += work.codes[described(k)].described_bytes();
  }
  work.at[work.code_count + 1] = std::uint32_t(at);
}

/// `fill`: pairs of bytes at the end of the block that hold nothing.
template <class W, teams::Team Team>
FPSYNTH_INLINE void put_header(Team& team, const Work& work, std::uint32_t fill, Byte* to) {
  team.single([=, &work] {
    const std::uint32_t states = work.state_count > 0 ? work.state_count / 16 : kNoStates;
    to[0] =
        Byte(work.map | (work.zeros > 0 ? kHasZeros : 0) | states << kStatesAt | fill << kFillAt);
    to[1] = Byte(work.parts | work.code_count << kCodesAt | (work.special != 0 ? kHasSpecial : 0));
    to[2] = Byte(work.top);
    to[3] = Byte(work.top >> 8);
    to[4] = Byte(work.base);
    to[5] = Byte(work.base >> 8);
    Byte* at = to + kFixedHeader;
    if (work.zeros > 0) *at++ = Byte(work.zeros);
    for (std::size_t k = 0; work.special != 0 && k < sizeof(W); ++k) {
      *at++ = Byte(work.special >> 8 * k);
    }
    for (std::uint32_t k = 0; k < work.code_count; ++k) *at++ = work.last_class[k];
  });
  each(team, work.code_count + 1, [=, &work](std::size_t k) {
    work.codes[described(std::uint32_t(k))].describe(to + work.at[k]);
  });
}

/// Reads a header, which may be anything. False if there is none.
template <class W, teams::Team Team>
FPSYNTH_INLINE bool get_header(Team& team, Work& work, const Byte* from, std::size_t bytes) {
  team.single([=, &work]() FPSYNTH_INLINED {
    work.bad = 1;
    if (bytes < kFixedHeader) return;
    work.map = from[0] & kMapBits;
    const std::uint32_t states = from[0] >> kStatesAt & 3;
    work.state_count = states == kNoStates ? 0 : 8u << states;
    work.parts = from[1] & kPartsBits;
    work.code_count = from[1] >> kCodesAt & kCodesBits;
    work.top = from[2] | std::uint32_t{from[3]} << 8;
    work.base = from[4] | std::uint32_t{from[5]} << 8;
    work.zeros = 0;
    work.special = 0;
    std::size_t at = kFixedHeader;
    const bool has_special = (from[1] & kHasSpecial) != 0;
    const std::size_t own = (from[0] & kHasZeros ? 1 : 0) + (has_special ? sizeof(W) : 0);
    if (bytes - at < own + work.code_count) return;
    if (from[0] & kHasZeros) work.zeros = from[at++];
    for (std::size_t k = 0; has_special && k < sizeof(W); ++k) {
      work.special |= std::uint64_t{from[at++]} << 8 * k;
    }
    // A block has one form: nothing is given that need not be.
    if ((from[0] & kHasZeros && work.zeros == 0) || (has_special && work.special == 0)) return;
    if (work.map > std::uint32_t(Map::Positive) || work.code_count > kMostCodes) return;
    const bool is_float = Binning<W>::is_float(Map(work.map));
    if (is_float && !Binning<W>::kHasFloats) return;
    if (work.zeros > (is_float ? Binning<W>::kMostZeros : words::kBits<W> - 1)) return;
    const Binning<W> binning{Map(work.map), work.zeros, 0, work.parts};
    if (work.parts > binning.most_parts()) return;
    const Binning<W> shortest{Map(work.map), 0, 0};
    if (work.top > (is_float ? shortest.bin(W(~W{0})) : words::kBits<W>)) return;
    if (work.base > work.top) return;
    for (std::uint32_t k = 0; k < work.code_count; ++k) {
      const Byte last = from[at++];
      work.last_class[k] = last;
      if (k + 1 == work.code_count ? last != kFarthest : last >= kFarthest) return;
      if (k > 0 && last <= work.last_class[k - 1]) return;
    }
    for (std::uint32_t k = 0; k <= work.code_count; ++k) {
      Code& code = work.codes[described(k)];
      work.at[k] = std::uint32_t(at);
      if (bytes - at < 2 || !code.read_head(from + at)) return;
      const std::size_t length = code.described_bytes();
      if (bytes - at < length || (work.state_count == 0 && code.span > 1)) return;
      at += length;
    }
    work.at[work.code_count + 1] = std::uint32_t(at);
    set_code_of(work);
    work.bad = 0;
  });
  if (is_bad(team, work)) return false;
  each(team, work.code_count + 1, [=, &team, &work](std::size_t k) {
    Code& code = work.codes[described(std::uint32_t(k))];
    if (!code.read_shares(from + work.at[k])) team.add(&work.bad, 1);
  });
  return !is_bad(team, work);
}

}  // namespace fpsynth::components::bins
