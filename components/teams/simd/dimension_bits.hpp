#pragma once
// Grouping the bits of a mask by dimension, as DIM groups the words that they stand for. L is the
// level.

#include <cstddef>
#include <cstdint>

#include "components/scratch_view.hpp"
#include "components/teams/item.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

template <class L>
struct DimensionBits {
  /// True if deinterleave() can do n words in k dimensions.
  FPSYNTH_INLINE static bool can_deinterleave(std::size_t n, std::size_t k) {
    if (k >= 2 && k <= 32 && (k & (k - 1)) == 0) return n % (8 * k) == 0;
    return L::kGathersBits && (k == 3 || k == 5) && n >= 1024;
  }
  /// Moves the n bits of scratch.mask as the team's deinterleave() moves words, and returns where
  /// they are then, in another memory of the scratch.
  FPSYNTH_INLINE static std::uint64_t* deinterleave(std::size_t n, std::size_t k,
                                                    const components::Scratch& scratch) {
    const auto* const in = reinterpret_cast<const std::uint8_t*>(scratch.mask);
    auto* const out = reinterpret_cast<std::uint8_t*>(scratch.starts);
    if constexpr (L::kGathersBits) {
      if (k == 3) return deinterleave_odd<3>(n, scratch);
      if (k == 5) return deinterleave_odd<5>(n, scratch);
    }
    if (k == 2) {
      L::separate_bits(in, n / 8, out);
    } else if (k == 4) {
      L::separate_bits(in, n / 8, scratch.bytes);
      L::separate_bits(scratch.bytes, n / 8, out);
    } else {
      // Rows of k / 8 bytes: first the bytes of each eight dimensions, then the bits of each byte.
      const std::uint8_t* rows = in;
      if (k > 8) {
        L::template deinterleave<std::uint8_t>(in, n / 8, k / 8, scratch.bytes);
        rows = scratch.bytes;
      }
      for (std::size_t at = 0; at < n / 8; at += n / k) L::bit_columns(rows + at, n / k, out + at);
    }
    return scratch.starts;
  }

 private:
  /// deinterleave() for K dimensions. Of K bytes, each dimension has eight bits: first the bytes at
  /// the same place of all K are brought together, then the bits of each dimension gathered from
  /// them, and the dimensions joined, which end at any bit.
  template <std::size_t K>
  static std::uint64_t* deinterleave_odd(std::size_t n, const components::Scratch& scratch) {
    // Rows of K bytes, in sixteens, so that none is moved by itself. The last ones may be behind
    // the bits; one has some of them.
    const std::size_t rows = words::words_for(n, 8 * K * 16) * 16;
    const std::size_t stride = (rows + 31) / 32 * 32;
    scratch.mask[words::words_for(n, 64)] = 0;
    std::uint8_t *const places = scratch.bytes, *const dimensions = places + K * stride;
    L::template deinterleave<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(scratch.mask),
                                           K * rows, K, places);
    L::template gather_bits<K>(places, rows, dimensions, stride);
    std::uint64_t* out = scratch.starts;
    std::uint64_t held = 0;  // bits of *out
    std::size_t shift = 0;   // how many
    for (std::size_t d = 0; d < K; ++d) {
      const std::uint8_t* from = dimensions + d * stride;
      std::size_t left = (n + K - 1 - d) / K;
      const auto put = [&](std::uint64_t bits) {
        *out = held | bits << shift;
        held = bits >> 1 >> (63 - shift);
      };
      for (; left >= 64; left -= 64, from += 8, ++out) put(Item<std::uint64_t>{0}.load(from));
      const std::uint64_t before = held;
      const std::uint64_t last = Item<std::uint64_t>{0}.load(from) & words::low_mask(left);
      put(last);
      shift += left;
      if (shift >= 64) {
        ++out;
        *out = held;
        shift -= 64;
      } else {
        held = before | last << (shift - left);
      }
    }
    return scratch.starts;
  }
};

}  // namespace fpsynth::teams
