#pragma once
// Grouping the bytes of a block by a few dimensions, by the lanes of a thread block, four bytes at
// a time. The dimensions' bytes are interleaved in one block and each one's adjacent, from
// DimensionOrder::begin() on, in the other. Blocks are aligned to 8 bytes.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "components/teams/block_lanes.hpp"
#include "components/teams/dimension_order.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/quad.hpp"
#include "components/teams/strip.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Two dimensions of n bytes together, a multiple of 8: a lane moves eight at a time.
template <Hardware H>
FPSYNTH_INLINE void separate_two(H& hardware, const std::uint8_t* in, std::uint32_t n,
                                 std::uint8_t* out) {
  each_item<std::uint64_t>(
      hardware, 0, n / 8, [=](auto item) { return PairItem{8 * item.i}.load(in); },
      [=](auto item, Pair pair) {
        const std::uint32_t low = pair.part[0].bytes, high = pair.part[1].bytes;
        store_four(out + 4 * item.i, words::permute_bytes(low, high, 0x6420));
        store_four(out + n / 2 + 4 * item.i, words::permute_bytes(low, high, 0x7531));
      });
}
template <Hardware H>
FPSYNTH_INLINE void merge_two(H& hardware, const std::uint8_t* in, std::uint32_t n,
                              std::uint8_t* out) {
  each_item<std::uint64_t>(
      hardware, 0, n / 8,
      [=](auto item) {
        const std::uint32_t even = load_four(in + 4 * item.i);
        const std::uint32_t odd = load_four(in + n / 2 + 4 * item.i);
        return Pair(Quad(words::permute_bytes(even, odd, 0x5140)),
                    Quad(words::permute_bytes(even, odd, 0x7362)));
      },
      [=](auto item, Pair pair) { PairItem{8 * item.i}.store_aligned(out, pair); });
}

/// An odd number k >= 3 of dimensions, of n >= 8k bytes together: a lane gathers four bytes of a
/// dimension, from words that are k words apart for adjacent lanes: in different banks.
template <Hardware H>
FPSYNTH_INLINE void separate_odd(H& hardware, const std::uint8_t* in, std::uint32_t n,
                                 std::uint32_t k, std::uint8_t* out) {
  const DimensionOrder order(n, k);
  FPSYNTH_UNROLL
  for (std::uint32_t d = 0; d < k; ++d) {
    const std::uint32_t begin = order.begin(d), end = order.begin(d + 1);
    const std::uint32_t up = (begin + 3) / 4 * 4, down = end / 4 * 4;  // its whole words
    // The first word's bytes in the input, and the words that they are in.
    const std::uint32_t first = (up - begin) * k + d, a = first % 4;
    const std::uint32_t b = a + k, c = b + k, e = c + k;
    const std::uint32_t ab = a | (4 + b % 4) << 4, ce = c % 4 | (4 + e % 4) << 4;
    const std::uint8_t* const rows = in + (first - a);
    const auto gather = [=](auto item) {
      const std::uint8_t* const from = rows + 4 * k * item.i;
      const std::uint32_t low =
          words::permute_bytes(load_four(from), load_four(from + b / 4 * 4), ab);
      const std::uint32_t high =
          words::permute_bytes(load_four(from + c / 4 * 4), load_four(from + e / 4 * 4), ce);
      return words::permute_bytes(low, high, 0x5410);
    };
    each_item<std::uint32_t>(
        hardware, 0, (down - up) / 4, gather,
        [=](auto item, std::uint32_t four) { store_four(out + up + 4 * item.i, four); });
    // The bytes before and after them, of which each are less than four.
    for (std::uint32_t j = hardware.lane(); j < 8; j += hardware.lanes()) {
      const std::uint32_t i = j < 4 ? begin + j : down + j - 4;
      if (i < (j < 4 ? up : end)) out[i] = in[(i - begin) * k + d];
    }
  }
}

/// The inverse for K dimensions of at least 8 bytes each: a lane moves four rows, one byte of each
/// dimension. Adjacent lanes write words that are K words apart: in different banks.
template <std::uint32_t K, Hardware H>
FPSYNTH_INLINE void merge_odd(H& hardware, const std::uint8_t* in, std::uint32_t n,
                              std::uint8_t* out) {
  static_assert(K % 2 == 1);
  const DimensionOrder order(n, K);
  const std::uint32_t rows = n / K / 4 * 4;
  const auto each = [&]<std::uint32_t... D>(std::integer_sequence<std::uint32_t, D...>) {
    for (std::uint32_t row = 4 * hardware.lane(); row < rows; row += 4 * hardware.lanes()) {
      const auto four = [&](std::uint32_t d) {
        const std::uint32_t at = order.begin(d), past = at % 4;
        const std::uint8_t* const words = in + (at - past) + row;
        return words::funnel_right(load_four(words), load_four(words + 4), 8 * past);
      };
      const std::uint32_t columns[] = {four(D)...};
      // Byte i of the result is of dimension i % K and row i / K.
      const auto two = [&](std::uint32_t i) {
        const std::uint32_t next = i + 1;
        return words::permute_bytes(columns[i % K], columns[next % K], i / K | (4 + next / K) << 4);
      };
      const auto store = [&](std::uint32_t q) {
        store_four(out + K * row + 4 * q, words::permute_bytes(two(4 * q), two(4 * q + 2), 0x5410));
      };
      (store(D), ...);
    }
  };
  each(std::make_integer_sequence<std::uint32_t, K>{});
  for (std::uint32_t i = K * rows + hardware.lane(); i < n; i += hardware.lanes()) {
    out[i] = in[order.of(i)];
  }
}

/// Groups n bytes by k dimensions. Returns false, without doing it, for most k; they take other
/// ways. interleave_bytes() is the inverse. All lanes call them.
template <Hardware H>
FPSYNTH_INLINE bool deinterleave_bytes(H& hardware, const std::uint8_t* in, std::uint32_t n,
                                       std::uint32_t k, std::uint8_t* out) {
  if (k == 2 && n % 8 == 0) {
    separate_two(hardware, in, n, out);
  } else if (k % 2 == 1 && k > 1 && n >= 8 * k) {
    separate_odd(hardware, in, n, k, out);
  } else {
    return false;
  }
  return true;
}
template <Hardware H>
FPSYNTH_INLINE bool interleave_bytes(H& hardware, const std::uint8_t* in, std::uint32_t n,
                                     std::uint32_t k, std::uint8_t* out) {
  if (k == 2 && n % 8 == 0) {
    merge_two(hardware, in, n, out);
  } else if (k == 3 && n >= 8 * k) {
    merge_odd<3>(hardware, in, n, out);
  } else if (k == 5 && n >= 8 * k) {
    merge_odd<5>(hardware, in, n, out);
  } else {
    return false;
  }
  return true;
}

}  // namespace fpsynth::teams
