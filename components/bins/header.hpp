#pragma once
// The header of a block of BINS: its map and its codes.

#include <cstddef>
#include <cstdint>

#include "components/bins/binning.hpp"
#include "components/bins/code.hpp"
#include "components/bins/work.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components::bins {

inline constexpr std::size_t kFixedHeader = 3;
/// Of the first byte: the map; the number of codes; and if words have zeros that are left out.
inline constexpr Byte kMapBits = 7, kCodesAt = 3, kHasZeros = 0x80;

FPSYNTH_INLINE Byte* put_code(const Code& code, Byte* to) {
  *to++ = code.first;
  *to++ = Byte(code.last - code.first + 1);
  if (code.alone) return to;
  for (std::uint32_t s = code.first; s <= code.last; s += 2) {
    const std::uint32_t next = s < code.last ? code.length[s + 1] : 0;
    *to++ = Byte(code.length[s] | next << 4);
  }
  return to;
}

FPSYNTH_INLINE bool get_code(CodeBuilder& builder, Code& code, const Byte*& at, const Byte* end) {
  if (end - at < 2) return false;
  const std::uint32_t first = *at++, span = *at++;
  if (span < 1 || first + span > kSymbols) return false;
  code.first = Byte(first);
  code.last = Byte(first + span - 1);
  code.alone = span == 1;
  FPSYNTH_ROLLED
  for (std::uint32_t s = 0; s < kSymbols; ++s) code.length[s] = 0;
  if (code.alone) return builder.set_codes(code);
  if (std::size_t(end - at) < words::words_for(span, 2)) return false;
  for (std::uint32_t k = 0; k < span; ++k) {
    const std::uint32_t length = at[k / 2] >> 4 * (k % 2) & 15;
    if (length > kLongestCode) return false;
    code.length[first + k] = Byte(length);
  }
  at += words::words_for(span, 2);
  return builder.set_codes(code);
}

template <class W>
FPSYNTH_INLINE std::size_t described_bytes(const Work& work) {
  std::size_t bytes = kFixedHeader + (work.zeros > 0) +
                      (Binning<W>::is_float(Map(work.map)) ? sizeof(W) : 0) +
                      work.classes.described_bytes();
  for (std::uint32_t k = 0; k < work.code_count; ++k) {
    bytes += 1 + work.codes[k].described_bytes();
  }
  return bytes;
}

template <class W>
FPSYNTH_INLINE void put_header(const Work& work, Byte* to) {
  to[0] = Byte(work.map | work.code_count << kCodesAt | (work.zeros > 0 ? kHasZeros : 0));
  to[1] = Byte(work.top);
  to[2] = Byte(work.top >> 8);
  to += kFixedHeader;
  if (work.zeros > 0) *to++ = Byte(work.zeros);
  if (Binning<W>::is_float(Map(work.map))) {
    for (std::size_t k = 0; k < sizeof(W); ++k) *to++ = Byte(work.special >> 8 * k);
  }
  to = put_code(work.classes, to);
  for (std::uint32_t k = 0; k < work.code_count; ++k) {
    *to++ = work.last_class[k];
    to = put_code(work.codes[k], to);
  }
}

/// Reads a header, which may be anything, and sets work.bad.
template <class W>
FPSYNTH_INLINE void get_header(Work& work, const Byte* from, std::size_t bytes) {
  const Byte *at = from, *const end = from + bytes;
  work.bad = 1;
  if (bytes < kFixedHeader) return;
  const bool has_zeros = (*at & kHasZeros) != 0;
  work.map = *at & kMapBits;
  work.code_count = *at % kHasZeros >> kCodesAt;
  work.top = at[1] | std::uint32_t{at[2]} << 8;
  at += kFixedHeader;
  if (has_zeros && at == end) return;
  work.zeros = has_zeros ? *at++ : 0;
  work.special = 0;
  if (work.map > std::uint32_t(Map::Positive) || work.code_count > kMostCodes) return;
  const bool is_float = Binning<W>::is_float(Map(work.map));
  if (is_float && !Binning<W>::kHasFloats) return;
  if (work.zeros > (is_float ? Binning<W>::kMostZeros : words::kBits<W> - 1)) return;
  const Binning<W> shortest{Map(work.map), 0, 0};
  if (work.top > (is_float ? shortest.bin(W(~W{0})) : words::kBits<W>)) return;
  if (is_float && std::size_t(end - at) < sizeof(W)) return;
  for (std::size_t k = 0; is_float && k < sizeof(W); ++k) {
    work.special |= std::uint64_t{*at++} << 8 * k;
  }
  if (!get_code(work.builder, work.classes, at, end)) return;
  for (std::uint32_t k = 0; k < work.code_count; ++k) {
    if (at == end) return;
    work.last_class[k] = *at++;
    if (!get_code(work.builder, work.codes[k], at, end)) return;
  }
  set_code_of(work);
  work.header_bytes = std::uint32_t(at - from);
  work.bad = 0;
}

}  // namespace fpsynth::components::bins
