#pragma once
// The codes of BINS as planes: the first bits of all codes, the second bits of those that go on, …

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/bins/code.hpp"
#include "components/bins/work.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/planes.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

/// The planes of n codes. Returns their bytes.
template <teams::Team Team>
FPSYNTH_INLINE std::size_t put_planes(Team& team, std::size_t n, const Byte* codes,
                                      const Scratch& scratch, Byte* out) {
  std::size_t bytes = 0;
  for (std::uint32_t bit = 0; bit < kLongestCode; ++bit) {
    const Byte own = Byte(0x80u >> bit), behind = Byte(own - 1);
    team.template flags<Byte>(n, scratch.mask,
                              [=](auto i) { return (i.load(codes) & behind) != Byte{0}; });
    team.template flags<Byte>(n, scratch.starts,
                              [=](auto i) { return (i.load(codes) & own) != Byte{0}; });
    const std::size_t count = team.pack_bits(n, scratch.mask, scratch.starts, out + bytes);
    if (count == 0) break;
    bytes += words::words_for(count, 8);
  }
  return bytes;
}

/// Adds bit number `bit` to all codes that are open, and leaves open those that go on.
template <teams::Team Team, class CodeOf>
FPSYNTH_INLINE void close_codes(Team& team, std::size_t n, std::uint32_t bit, Byte* codes,
                                Byte* limits, std::uint64_t* open, std::uint64_t* plane,
                                CodeOf code_of) {
  const Byte own = Byte(0x80u >> bit);
  if constexpr (Team::kInOrder) {
    for (std::size_t g = 0; g < teams::group_count(n); ++g) {
      // No code is as great as 255.
      const std::uint32_t end = code_of(g).end[bit + 1];
      std::memset(limits + kGroup * g, int(end < 255 ? end : 255), kGroup);
    }
    team.template for_each<Byte>(0, n, [=](auto i) {
      const auto code = i.load(codes);
      const auto none = code ^ code;
      i.store(codes, code | (select(i.bit(plane), ~none, none) & own));
    });
    if (bit + 1 == kLongestCode) {
      open[0] = 0;
      return;
    }
    team.template flags<Byte>(n, plane, [=](auto i) {
      const auto code = i.load(codes);
      return larger(code, i.load(limits)) == code;
    });
    for (std::size_t k = 0; k < words::words_for(n, 64); ++k) open[k] &= plane[k];
  } else {
    each(team, teams::group_count(n), [=](std::size_t g) {
      const teams::Item<std::uint32_t> item{g};
      std::uint32_t still = item.load(open);
      const std::uint32_t bits = item.load(plane), end = code_of(g).end[bit + 1];
      for (std::uint32_t rest = still; rest != 0; rest &= rest - 1) {
        const std::uint32_t i = words::lowest_bit32(rest);
        Byte& code = codes[kGroup * g + i];
        if (bits >> i & 1) code |= own;
        if (code < end) still &= ~(1u << i);
      }
      item.store(open, still);
    });
  }
}

/// Reads the planes of n codes, code_of(g) being that of items 32 g and so on, to `codes`, and
/// moves `at` behind them. `limits` is memory of n bytes. Returns false if they are cut off. Ends
/// with a barrier.
template <teams::Team Team, class CodeOf>
FPSYNTH_INLINE bool get_planes(Team& team, std::size_t n, const Byte*& at, const Byte* end,
                               Byte* codes, Byte* limits, const Scratch& scratch, CodeOf code_of) {
  std::uint64_t *const open = scratch.mask, *const plane = scratch.starts;
  const std::size_t groups = teams::group_count(n);
  each(team, 2 * words::words_for(n, 64), [=](std::size_t g) {
    std::uint32_t bits = 0;
    if (g < groups) {
      std::memset(codes + kGroup * g, 0, kGroup);
      if (!code_of(g).alone) bits = std::uint32_t(words::low_mask(teams::words_of_group(n, g)));
    }
    teams::Item<std::uint32_t>{g}.store(open, bits);
  });
  team.barrier();
  for (std::uint32_t bit = 0; bit < kLongestCode; ++bit) {
    const std::size_t count = team.count_bits(open, n);
    if (count == 0) break;
    const std::size_t bytes = words::words_for(count, 8);
    if (std::size_t(end - at) < bytes) return false;
    team.unpack_bits(n, open, at, plane);
    at += bytes;
    close_codes(team, n, bit, codes, limits, open, plane, code_of);
    team.barrier();
  }
  return true;
}

/// Replaces symbols and classes by their codes.
template <teams::Team Team>
FPSYNTH_INLINE void put_all_planes(Team& team, std::size_t n, const Scratch& scratch, Byte* to) {
  Work& work = work_of(scratch);
  Byte *const classes = classes_of(scratch), *const symbols = scratch.bytes;
  const std::size_t groups = teams::group_count(n);
  team.barrier();
  each(team, groups, [=, &team, &work](std::size_t g) {
    const Code& code = work.codes[work.code_of[classes[g]]];
    if constexpr (Team::kInOrder) {
      team.look_up(code.bits, symbols + kGroup * g, symbols + kGroup * g);
    } else {
      for_group(n, g, [&](std::size_t i) { symbols[i] = code.bits[symbols[i]]; });
    }
    classes[g] = work.classes.bits[classes[g]];
  });
  to += put_planes(team, groups, classes, scratch, to);
  put_planes(team, n, symbols, scratch, to);
}

}  // namespace fpsynth::components::bins
