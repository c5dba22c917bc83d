#pragma once
// The kernel of the steps of preludes whose shape is Permuted. Lower bound of the time: every word
// is read and written once.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"

namespace fpsynth::codec {

/// The division of rows and columns into tiles of 2^kBits places, as long on both sides as there
/// are rows and columns for it: lanes beside each other then have words beside each other both
/// where they read and where they write.
struct PermutedTile {
  static constexpr std::uint32_t kBits = 10;
  std::uint32_t row_bits, column_bits;

  FPSYNTH_INLINE PermutedTile(std::uint64_t rows, std::uint64_t columns)
      : row_bits(kBits / 2), column_bits(kBits / 2) {
    if (rows >> row_bits == 0) {
      row_bits = words::highest_bit32(std::uint32_t(rows)) + 1;
      column_bits = kBits - row_bits;
    } else if (columns >> column_bits == 0) {
      column_bits = words::highest_bit32(std::uint32_t(columns)) + 1;
      row_bits = kBits - column_bits;
    }
  }
  FPSYNTH_INLINE std::uint64_t row_tiles(std::uint64_t rows) const {
    return (rows + (std::uint64_t{1} << row_bits) - 1) >> row_bits;
  }
  FPSYNTH_INLINE std::uint64_t column_tiles(std::uint64_t columns) const {
    return (columns + (std::uint64_t{1} << column_bits) - 1) >> column_bits;
  }
  /// Words of shared memory: there is a free one behind each row, or behind 128 bytes of shorter
  /// rows, so that the words of a column are in different banks.
  FPSYNTH_INLINE std::uint32_t words() const { return (1u << kBits) + 64; }
  template <class W>
  FPSYNTH_INLINE std::uint32_t at(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t place = (row << column_bits) + column;
    return place + (column_bits < 5 ? place / std::uint32_t(128 / sizeof(W)) : row);
  }
};

/// `out` is apart from `in`.
template <class Step, class W>
struct PermuteKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n, columns;  ///< fewer columns than words
    bool forward;
  };
  static std::uint64_t rows(std::uint64_t n, std::uint64_t columns) {
    return (n + columns - 1) / columns;
  }

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    constexpr std::uint32_t kPlaces = 1u << PermutedTile::kBits;
    const typename Step::Columns columns(args.n, args.columns);
    const std::uint64_t rows = columns.rows + (columns.longer > 0 ? 1 : 0);
    const PermutedTile tile(rows, columns.count);
    const std::uint64_t across = tile.column_tiles(columns.count);
    const std::uint64_t tiles = tile.row_tiles(rows) * across;
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    W* const shared = reinterpret_cast<W*>(hardware.shared());
    for (std::uint64_t index = hardware.block(); index < tiles; index += hardware.blocks()) {
      const std::uint64_t first_row = index / across << tile.row_bits;
      const std::uint64_t first_column = index % across << tile.column_bits;
      // Calls work(place in shared memory, place in rows, place in columns) for the words of the
      // tile: along rows, or along columns.
      const auto each = [&](bool along_rows, const auto& work) {
        for (std::uint32_t i = hardware.lane(); i < kPlaces; i += hardware.lanes()) {
          const std::uint32_t r =
              along_rows ? i >> tile.column_bits : i & ((1u << tile.row_bits) - 1);
          const std::uint32_t c =
              along_rows ? i & ((1u << tile.column_bits) - 1) : i >> tile.row_bits;
          const std::uint64_t row = first_row + r, column = first_column + c;
          if (column < columns.count && row < columns.words_of(column)) {
            work(tile.template at<W>(r, c), row * columns.count + column,
                 columns.begin(column) + row);
          }
        }
      };
      each(args.forward, [&](std::uint32_t at, std::uint64_t in_rows, std::uint64_t in_columns) {
        shared[at] = in.load(args.forward ? in_rows : in_columns);
      });
      hardware.barrier();
      each(!args.forward, [&](std::uint32_t at, std::uint64_t in_rows, std::uint64_t in_columns) {
        out.store(args.forward ? in_columns : in_rows, shared[at]);
      });
      hardware.barrier();
    }
  }
};

}  // namespace fpsynth::codec
