#pragma once
// Kernels of the steps of preludes whose shape is Mapped or Permuted. Lower bound of the time:
// every word is read and written once.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/header.hpp"

namespace fpsynth::codec {

/// Words in device memory, at any alignment: words that are not aligned are moved byte by byte,
/// which all lanes do or none.
template <class W, class Byte = std::byte>
class DeviceWords {
 public:
  FPSYNTH_INLINE explicit DeviceWords(Byte* words)
      : words_(words), aligned_(reinterpret_cast<std::uintptr_t>(words) % sizeof(W) == 0) {}

  // Not memcpy() in both branches: the compiler would make one of them, which is that of bytes.
  FPSYNTH_INLINE W load(std::uint64_t i) const {
    const Byte* const at = words_ + i * sizeof(W);
    return aligned_ ? *reinterpret_cast<const W*>(at) : codec::load<W>(at);
  }
  FPSYNTH_INLINE void store(std::uint64_t i, W word) const {
    Byte* const at = words_ + i * sizeof(W);
    if (aligned_) {
      *reinterpret_cast<W*>(at) = word;
    } else {
      codec::store(at, word);
    }
  }

 private:
  Byte* words_;
  bool aligned_;
};
template <class W>
using ReadWords = DeviceWords<W, const std::byte>;

/// A lane's position in its launch. Lane i takes the items i, i + count and so on: lanes beside
/// each other have items beside each other.
template <teams::Hardware Hardware>
struct LaneInLaunch {
  std::uint64_t index, count;

  FPSYNTH_INLINE explicit LaneInLaunch(Hardware hardware)
      : index(std::uint64_t{hardware.block()} * hardware.lanes() + hardware.lane()),
        count(std::uint64_t{hardware.blocks()} * hardware.lanes()) {}
};

/// Calls store(i, load(i)) for all i < n, each on one lane of the launch, which loads a few words
/// before it stores the first.
template <class W, teams::Hardware Hardware, class Load, class Store>
FPSYNTH_INLINE void for_each_word(Hardware hardware, std::uint64_t n, const Load& load,
                                  const Store& store) {
  constexpr unsigned kAtOnce = 4;
  const LaneInLaunch<Hardware> lane(hardware);
  for (std::uint64_t begin = lane.index; begin < n; begin += kAtOnce * lane.count) {
    W words[kAtOnce];
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (begin + k * lane.count < n) words[k] = load(begin + k * lane.count);
    }
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (begin + k * lane.count < n) store(begin + k * lane.count, words[k]);
    }
  }
}

/// Both directions of a step whose shape is Mapped. `out` may be `in`.
template <class Step, class W, bool kForward>
struct MapKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    for_each_word<W>(
        hardware, args.n, [&](std::uint64_t i) { return in.load(i); },
        [&](std::uint64_t i, W word) {
          out.store(i, kForward ? Step::forward(word) : Step::backward(word));
        });
  }
};

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

/// Both directions of a step whose shape is Permuted. `out` is apart from `in`.
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
