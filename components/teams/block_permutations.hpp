#pragma once
// Permutations of a block by the lanes of a thread block: transposing bit matrices and grouping
// words by dimension.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/teams/block_lanes.hpp"
#include "components/teams/byte_dimensions.hpp"
#include "components/teams/dimension_order.hpp"
#include "components/teams/hardware.hpp"
#include "components/teams/quad.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// The transpose of 8 x 8 bits. Rows are bytes, the lowest byte first; columns are counted from a
/// byte's most significant bit.
FPSYNTH_INLINE std::uint64_t transposed_8x8(std::uint64_t x) {
  std::uint64_t t = (x ^ x >> 9) & 0x0055005500550055;
  x ^= t ^ t << 9;
  t = (x ^ x >> 18) & 0x0000333300003333;
  x ^= t ^ t << 18;
  t = (x ^ x >> 36) & 0x000000000f0f0f0f;
  return x ^ t ^ t << 36;
}
template <class W>
FPSYNTH_INLINE void transpose_alone(const W* in, std::uint32_t tiles, W* out) {
  constexpr std::uint32_t w = words::kBits<W>;
  for (std::uint32_t i = 0; i < tiles * w; ++i) {
    const W* const tile = in + i / w * w;
    W word = 0;
    for (std::uint32_t j = 0; j < w; ++j) word = W(word << 1 | (tile[j] >> (w - 1 - i % w) & 1));
    out[i] = word;
  }
}
/// Transposes 32 x 32 bits, of which each lane of a warp has a row, by swapping ever smaller
/// off-diagonal squares. Columns are counted from the most significant bit.
template <Hardware H>
class SquareTransposer {
 public:
  FPSYNTH_INLINE explicit SquareTransposer(H hardware) : hardware_(hardware) {
    const std::uint32_t in_warp = hardware.lane() % 32;
    std::uint32_t low = 0xffff;  // the right half of each square
    for (std::uint32_t r = 0, j = 16; r < kRounds; ++r, j /= 2, low ^= low << j) {
      kept_[r] = in_warp & j ? low : ~low;
      left_[r] = in_warp & j ? j : 32 - j;
    }
  }
  FPSYNTH_INLINE std::uint32_t transposed(std::uint32_t row) {
    for (std::uint32_t r = 0; r < kRounds; ++r) {
      const std::uint32_t other = hardware_.shuffle_xor(row, 16 >> r);
      // Bits that are shifted in at the other end belong to columns that are kept.
      row = words::either_by(kept_[r], row, words::funnel_left(other, other, left_[r]));
    }
    return row;
  }

 private:
  static constexpr std::uint32_t kRounds = 5;
  H hardware_;
  std::uint32_t kept_[kRounds], left_[kRounds];
};
/// The transpose of one such square.
template <Hardware H>
FPSYNTH_INLINE std::uint32_t transposed_square(H& hardware, std::uint32_t row) {
  return SquareTransposer<H>(hardware).transposed(row);
}
/// Each warp transposes tiles, whose rows are in registers. Those of 64 x 64 bits are four squares,
/// of which two change places.
template <class W, Hardware H>
FPSYNTH_INLINE void transpose_by_warps(H hardware, const W* in, std::uint32_t tiles, W* out) {
  constexpr std::uint32_t w = words::kBits<W>;
  const std::uint32_t lane = hardware.lane(), in_warp = lane % 32;
  SquareTransposer<H> square(hardware);
  if constexpr (w == 16) {
    // Two tiles are at the diagonal of a square.
    const bool second = in_warp >= 16;
    const std::uint32_t in_tile = in_warp % 16;
    for (std::uint32_t tile = lane / 32 * 2; tile < tiles; tile += hardware.lanes() / 32 * 2) {
      const std::uint32_t mine = tile + second, word = mine * w + in_tile;
      const std::uint32_t row = mine < tiles ? in[word] : 0;
      const std::uint32_t found = square.transposed(second ? row : row << 16);
      if (mine < tiles) out[word] = W(second ? found : found >> 16);
    }
  } else {
    for (std::uint32_t tile = lane / 32; tile < tiles; tile += hardware.lanes() / 32) {
      const W* const from = in + tile * w + in_warp;
      W* const to = out + tile * w + in_warp;
      if constexpr (w <= 32) {
        *to = square.transposed(*from);
      } else {
        const std::uint64_t upper = from[0], lower = from[32];
        to[0] = std::uint64_t{square.transposed(std::uint32_t(upper >> 32))} << 32 |
                square.transposed(std::uint32_t(lower >> 32));
        to[32] = std::uint64_t{square.transposed(std::uint32_t(upper))} << 32 |
                 square.transposed(std::uint32_t(lower));
      }
    }
  }
}

/// Groups a block by 2^p dimensions, or undoes that, on one warp, without bank conflicts. A matrix
/// of rows, one of each dimension's words, becomes one of columns, or back. A lane moves a cell: a
/// word or, of bytes, four rows of four, which it transposes. Of the lanes that access the banks at
/// the same time, 2^p take cells of a row and the others adjacent rows. So that cells of different
/// columns are not in the same bank either, they are of different groups of rows.
template <class W>
class WarpTransposer {
  using Cell = std::conditional_t<sizeof(W) == 1, std::uint32_t, W>;
  static constexpr std::uint32_t kSide = sizeof(Cell) / sizeof(W);  ///< words on a cell's side
  /// Lanes that access all banks once.
  static constexpr std::uint32_t kTogether = sizeof(Cell) < 4 ? 32 : 128 / sizeof(Cell);

 public:
  /// True if it can transpose n words in k dimensions.
  FPSYNTH_INLINE static constexpr bool can(std::size_t n, std::size_t k) {
    return k >= 2 && (k & (k - 1)) == 0 && k >= kSide && k / kSide <= 32 &&
           n % (k * kSide * 32) == 0;
  }
  FPSYNTH_INLINE WarpTransposer(std::uint32_t lane, std::size_t n, std::size_t k)
      : lane_(lane), n_(std::uint32_t(n)), k_(std::uint32_t(k)) {}

  FPSYNTH_INLINE void to_columns(const W* in, W* out) const {
    move([=, this](Place at) { return in_rows(in, at); },
         [=, this](Place at) { return in_columns(out, at); });
  }
  FPSYNTH_INLINE void to_rows(const W* in, W* out) const {
    move([=, this](Place at) { return in_columns(in, at); },
         [=, this](Place at) { return in_rows(out, at); });
  }

 private:
  /// A cell: that in row `row` + `above` and in column `column`. `above` is the same for all lanes.
  /// `first` (0..3): which of its four rows this lane accesses first, so that the lanes that access
  /// the same columns access different banks.
  struct Place {
    std::uint32_t row, column, above, first;
  };
  /// The memory of a cell: the rows of a side, `stride` words apart.
  template <class Word>
  struct Side {
    Word* begin;
    std::uint32_t stride, first;
  };
  struct Rows {
    std::uint32_t row[4];
  };
  template <class Word>
  FPSYNTH_INLINE Side<Word> in_rows(Word* words, Place at) const {
    return {words + kSide * at.row * k_ + kSide * at.column + kSide * at.above * k_, k_, at.first};
  }
  template <class Word>
  FPSYNTH_INLINE Side<Word> in_columns(Word* words, Place at) const {
    return {words + kSide * at.column * (n_ / k_) + kSide * at.row + kSide * at.above, n_ / k_, 0};
  }
  /// Moves all cells from one side to the other, in turns.
  template <class From, class To>
  FPSYNTH_INLINE void move(From from, To to) const {
    const auto get = [=](Place at) {
      const Side<const W> side = from(at);
      if constexpr (kSide == 1) {
        return *side.begin;
      } else {
        Rows cell;
        for (std::uint32_t j = 0; j < 4; ++j) {
          cell.row[j] = load_four(side.begin + (j ^ side.first) * side.stride);
        }
        return cell;
      }
    };
    const auto put = [=](Place at, auto cell) {
      const Side<W> side = to(at);
      if constexpr (kSide == 1) {
        *side.begin = cell;
      } else {
        transpose(cell.row, from(at).first, side.first);
        for (std::uint32_t j = 0; j < 4; ++j) {
          store_four(side.begin + (j ^ side.first) * side.stride, cell.row[j]);
        }
      }
    };
    const std::uint32_t columns = k_ / kSide, rows = n_ / k_ / kSide;
    // Columns of a row that lanes access at the same time, and rows.
    const std::uint32_t wide = columns < kTogether ? columns : kTogether, high = kTogether / wide;
    const std::uint32_t in_turn = lane_ % kTogether, of_turn = lane_ / kTogether;
    const std::uint32_t column = in_turn % wide, row = in_turn / wide;
    // A lane takes, one after the other, the groups of `high` rows in different orders.
    const std::uint32_t first = kSide == 1 ? 0 : row * wide / 8 % 4;
    for (std::uint32_t u = 0; u < wide; u += 32 / kTogether) {
      const std::uint32_t group = column ^ (u + of_turn);
      for (std::uint32_t c = 0; c < columns; c += wide) {
        const auto at = [=](std::uint32_t above) {
          return Place{high * group + row, c + column, above, first};
        };
        in_turns(
            0, rows, high * wide, [&](std::uint32_t above) { return get(at(above)); },
            [&](std::uint32_t above, auto cell) { put(at(above), cell); });
      }
    }
  }
  /// Transposes a cell of bytes whose rows, before and after, are in the order j ^ before and
  /// j ^ after.
  FPSYNTH_INLINE static void transpose(std::uint32_t* rows, std::uint32_t before,
                                       std::uint32_t after) {
    // Result j is of byte j ^ after of the rows.
    const std::uint32_t low = 0x5140 ^ after * 0x1111, high = 0x7362 ^ after * 0x1111;
    const std::uint32_t low01 = words::permute_bytes(rows[0], rows[1], low);
    const std::uint32_t high01 = words::permute_bytes(rows[0], rows[1], high);
    const std::uint32_t low23 = words::permute_bytes(rows[2], rows[3], low);
    const std::uint32_t high23 = words::permute_bytes(rows[2], rows[3], high);
    // Byte j of a result is of row j ^ before.
    const std::uint32_t even = order(0x5410, before), odd = order(0x7632, before);
    rows[0] = words::permute_bytes(low01, low23, even);
    rows[1] = words::permute_bytes(low01, low23, odd);
    rows[2] = words::permute_bytes(high01, high23, even);
    rows[3] = words::permute_bytes(high01, high23, odd);
  }
  /// Hexadecimal digit j of the result is digit j ^ by of a number of four digits.
  FPSYNTH_INLINE static std::uint32_t order(std::uint32_t digits, std::uint32_t by) {
    if (by & 1) digits = (digits & 0x0f0f) << 4 | (digits & 0xf0f0) >> 4;
    if (by & 2) digits = (digits & 0x00ff) << 8 | (digits & 0xff00) >> 8;
    return digits;
  }

  std::uint32_t lane_, n_, k_;
};

/// put(from, to, get(from, to)) for every word of a block of n words, where `to` is its index after
/// grouping by k dimensions, each on one of the lanes.
template <class W, Hardware H, class Get, class Put>
FPSYNTH_INLINE void for_moves(H& hardware, std::size_t n, std::size_t k, Get get, Put put) {
  const std::uint32_t lane = hardware.lane(), lanes = hardware.lanes();
  if (is_one_warp(hardware) && k % 8 != 0) {
    // The warp takes rows of one dimension, which are in different banks for these k.
    const std::uint32_t dimensions = std::uint32_t(k);
    std::uint32_t begin = 0;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      const std::uint32_t rows = (std::uint32_t(n) + dimensions - 1 - d) / dimensions;
      const auto from = [=](auto item) { return std::uint32_t(item.i) * dimensions + d; };
      const auto to = [=](auto item) { return std::uint32_t(item.i) + begin; };
      each_item<W>(
          hardware, 0, rows, [&](auto item) { return get(from(item), to(item)); },
          [&](auto item, W word) { put(from(item), to(item), word); });
      begin += rows;
    }
    return;
  }
  const auto f = [&](std::uint32_t from, std::uint32_t to) { put(from, to, get(from, to)); };
  if (!DiagonalOrder<W>::has(k)) {
    const DimensionOrder order(n, k);
    each_item<W>(hardware, 0, std::uint32_t(n),
                 [&](auto item) { f(std::uint32_t(item.i), order.of(item.i)); });
    return;
  }
  const DiagonalOrder<W> order(n, k);
  // Whole warps take turns; what depends on the lane and the dimension is computed once.
  const std::uint32_t warps = lanes < 32 ? 1 : lanes / 32;
  for (std::uint32_t first = lane % 32; first < 32; first += lanes < 32 ? lanes : 32) {
    const std::uint32_t ahead = order.ahead(first);
    for (std::uint32_t turn = lane / 32; turn < k; turn += warps) {
      for (auto move = order.of(turn, first, ahead); move.from < n; move = order.next(move)) {
        f(move.from, move.to);
      }
    }
  }
}

/// Groups the n words of a block by k dimensions; interleave_by_lanes() is the inverse. All lanes
/// call them.
template <class W, Hardware H>
FPSYNTH_INLINE void deinterleave_by_lanes(H& hardware, const W* in, std::size_t n, std::size_t k,
                                          W* out) {
  if constexpr (sizeof(W) == 1) {
    if (deinterleave_bytes(hardware, in, std::uint32_t(n), std::uint32_t(k), out)) return;
  }
  if (is_one_warp(hardware) && WarpTransposer<W>::can(n, k)) {
    WarpTransposer<W>(hardware.lane(), n, k).to_columns(in, out);
  } else {
    for_moves<W>(
        hardware, n, k, [=](std::uint32_t from, std::uint32_t) { return in[from]; },
        [=](std::uint32_t, std::uint32_t to, W word) { out[to] = word; });
  }
}
template <class W, Hardware H>
FPSYNTH_INLINE void interleave_by_lanes(H& hardware, const W* in, std::size_t n, std::size_t k,
                                        W* out) {
  if constexpr (sizeof(W) == 1) {
    if (interleave_bytes(hardware, in, std::uint32_t(n), std::uint32_t(k), out)) return;
  }
  if (is_one_warp(hardware) && WarpTransposer<W>::can(n, k)) {
    WarpTransposer<W>(hardware.lane(), n, k).to_rows(in, out);
  } else {
    for_moves<W>(
        hardware, n, k, [=](std::uint32_t, std::uint32_t to) { return in[to]; },
        [=](std::uint32_t from, std::uint32_t, W word) { out[from] = word; });
  }
}

}  // namespace fpsynth::teams
