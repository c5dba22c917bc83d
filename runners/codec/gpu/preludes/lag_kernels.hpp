#pragma once
// Kernels of the steps of preludes whose shape is Lagged. Decoding is a scan of every column, where
// the words are rows of `lag` words: columns are cut into parts, the words of each part are
// combined (...SumsKernel), the sums are scanned, which is the same task with fewer words, and each
// part is scanned again with the sum before it (...ScanKernel). That reads every word twice and
// writes it once; a single pass, by looking back as the codec's kernels do, would read it once, but
// needs a word and a flag to be seen together for every column. With as many columns as the device
// has lanes, a column is one part and nothing is read twice.
//
// Step::backward(a, b) is associative and commutative, and 0 is its neutral element.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"

namespace fpsynth::codec {

/// out[i] = forward(in[i], in[i - lag]); the first `lag` words are copied. `out` is apart from
/// `in`.
template <class Step, class W>
struct DifferenceKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n, lag;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    for_each_word<W>(
        hardware, args.n,
        [&](std::uint64_t i) {
          const W word = in.load(i);
          return i < args.lag ? word : Step::forward(word, in.load(i - args.lag));
        },
        [&](std::uint64_t i, W word) { out.store(i, word); });
  }
};

/// The division of a tile of words by a thread block if there are at most as many columns as lanes:
/// into parts of kRows rows, so that each column of each part has a lane. Tiles begin with the
/// first column. With an odd number of rows, lanes beside each other find their words in shared
/// memory in different banks, for most lags.
struct LagTile {
  static constexpr std::uint32_t kRows = 17;
  std::uint32_t lag, parts;

  FPSYNTH_INLINE LagTile(std::uint32_t lag_words, std::uint32_t lanes)
      : lag(lag_words), parts(lanes / lag_words) {}
  /// Lanes that have a column of a part: the first ones.
  FPSYNTH_INLINE std::uint32_t active() const { return parts * lag; }
  FPSYNTH_INLINE std::uint32_t words() const { return active() * kRows; }
};

/// sums[tile * lag + column] = the sum of the column in the tile, for tiles that are whole.
template <class Step, class W>
struct TileSumsKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* words;
    std::uint64_t tiles;
    std::uint32_t lag;  ///< at most the number of lanes
    W* sums;
  };
  static std::size_t shared_bytes(std::uint32_t, std::uint32_t lanes) { return lanes * sizeof(W); }

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> words(args.words);
    const LagTile tile(args.lag, hardware.lanes());
    W* const sums = reinterpret_cast<W*>(hardware.shared());
    const std::uint32_t lane = hardware.lane();
    for (std::uint64_t index = hardware.block(); index < args.tiles; index += hardware.blocks()) {
      // Words that are `active` words apart are in the same column, so all reads are coalesced.
      W sum = 0;
      if (lane < tile.active()) {
        const std::uint64_t first = index * tile.words() + lane;
        for (std::uint32_t row = 0; row < LagTile::kRows; ++row) {
          sum = Step::backward(words.load(first + row * tile.active()), sum);
        }
      }
      sums[lane] = sum;
      hardware.barrier();
      for (std::uint32_t parts = tile.parts; parts > 1;) {
        const std::uint32_t half = (parts + 1) / 2;
        if (lane < (parts - half) * tile.lag) {
          sums[lane] = Step::backward(sums[lane + half * tile.lag], sums[lane]);
        }
        hardware.barrier();
        parts = half;
      }
      // After the last barrier each lane reads only what it alone writes for the next tile.
      if (lane < tile.lag) args.sums[index * tile.lag + lane] = sums[lane];
    }
  }
};

/// Restores words in place.
template <class Step, class W>
struct TileScanKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    std::byte* words;
    std::uint64_t n, tiles;
    std::uint32_t lag;
    /// sums[tile * lag + column]: of the column up to the end of the tile; null if there is one
    /// tile.
    const W* sums;
  };
  static std::size_t shared_bytes(std::uint32_t lag, std::uint32_t lanes) {
    return (LagTile(lag, lanes).words() + lanes) * sizeof(W);
  }

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    constexpr std::uint32_t kRows = LagTile::kRows;
    const DeviceWords<W> words(args.words);
    const LagTile tile(args.lag, hardware.lanes());
    W* const shared = reinterpret_cast<W*>(hardware.shared());
    W* const sums = shared + tile.words();
    const std::uint32_t lane = hardware.lane(), lanes = hardware.lanes();
    const std::uint32_t part = lane / tile.lag, column = lane - part * tile.lag;
    const bool active = lane < tile.active();
    W* const mine = shared + part * kRows * tile.lag + column;
    for (std::uint64_t index = hardware.block(); index < args.tiles; index += hardware.blocks()) {
      const std::uint64_t begin = index * tile.words(), left = args.n - begin;
      for (std::uint32_t i = lane; i < tile.words(); i += lanes) {
        shared[i] = i < left ? words.load(begin + i) : W{0};
      }
      hardware.barrier();
      W rows[kRows], sum = 0;
      if (active) {
        for (std::uint32_t row = 0; row < kRows; ++row) {
          rows[row] = mine[row * tile.lag];
          sum = Step::backward(rows[row], sum);
        }
      }
      W before = sum_of_parts_before(hardware, tile, sums, sum);
      if (active) {
        if (index > 0) {
          before = Step::backward(args.sums[(index - 1) * tile.lag + column], before);
        }
        for (std::uint32_t row = 0; row < kRows; ++row) {
          before = Step::backward(rows[row], before);
          mine[row * tile.lag] = before;
        }
      }
      hardware.barrier();
      for (std::uint32_t i = lane; i < tile.words(); i += lanes) {
        if (i < left) words.store(begin + i, shared[i]);
      }
    }
  }

 private:
  /// The sum of the column in the parts before the lane's. Contains barriers, one after every
  /// access to `sums` but the last.
  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE W sum_of_parts_before(Hardware hardware, const LagTile& tile, W* sums,
                                              W sum) {
    const std::uint32_t lane = hardware.lane();
    sums[lane] = sum;
    hardware.barrier();
    for (std::uint32_t distance = tile.lag; distance < tile.active(); distance *= 2) {
      const W before = lane >= distance ? sums[lane - distance] : W{0};
      hardware.barrier();
      sum = Step::backward(before, sum);
      sums[lane] = sum;
      hardware.barrier();
    }
    return lane >= tile.lag ? sums[lane - tile.lag] : W{0};
  }
};

/// Columns that are walked by a lane each, in parts of `rows` rows. Lanes beside each other have
/// columns beside each other.
struct LagColumns {
  std::uint64_t n, lag, parts, rows;

  /// Calls walk(part, column, first, end) for all columns of the first `count` parts; the words of
  /// the column in the part are first, first + lag and so on, below `end`.
  template <teams::Hardware Hardware, class Walk>
  FPSYNTH_INLINE void for_each(Hardware hardware, std::uint64_t count, const Walk& walk) const {
    const LaneInLaunch<Hardware> lane(hardware);
    for (std::uint64_t item = lane.index; item < count * lag; item += lane.count) {
      const std::uint64_t part = item / lag, column = item - part * lag;
      const std::uint64_t begin = part * rows * lag, end = begin + rows * lag;
      walk(part, column, begin + column, part + 1 < parts && end < n ? end : n);
    }
  }
};

/// sums[part * lag + column] = the sum of the column in the part, for all parts but the last.
template <class Step, class W>
struct ColumnSumsKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* words;
    LagColumns columns;
    W* sums;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> words(args.words);
    const std::uint64_t lag = args.columns.lag;
    args.columns.for_each(
        hardware, args.columns.parts - 1,
        [&](std::uint64_t part, std::uint64_t column, std::uint64_t first, std::uint64_t end) {
          W sum = 0;
          for (std::uint64_t i = first; i < end; i += lag) sum = Step::backward(words.load(i), sum);
          args.sums[part * lag + column] = sum;
        });
  }
};

/// Restores words in place.
template <class Step, class W>
struct ColumnScanKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    std::byte* words;
    LagColumns columns;
    /// sums[part * lag + column]: of the column up to the end of the part; null if there is one
    /// part.
    const W* sums;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const DeviceWords<W> words(args.words);
    const std::uint64_t lag = args.columns.lag;
    args.columns.for_each(
        hardware, args.columns.parts,
        [&](std::uint64_t part, std::uint64_t column, std::uint64_t first, std::uint64_t end) {
          W sum = part == 0 ? W{0} : args.sums[(part - 1) * lag + column];
          // Rows are loaded before the first is stored, because they do not depend on it.
          constexpr unsigned kAtOnce = 8;
          W rows[kAtOnce];
          for (std::uint64_t i = first; i < end; i += kAtOnce * lag) {
            for (unsigned k = 0; k < kAtOnce; ++k) {
              if (i + k * lag < end) rows[k] = words.load(i + k * lag);
            }
            for (unsigned k = 0; k < kAtOnce; ++k) {
              if (i + k * lag >= end) break;
              sum = Step::backward(rows[k], sum);
              words.store(i + k * lag, sum);
            }
          }
        });
  }
};

}  // namespace fpsynth::codec
