#pragma once
// Scans of a block by the lanes of a thread block.

#include <cstddef>
#include <cstdint>

#include "components/teams/block_masks.hpp"
#include "components/teams/byte_scan.hpp"
#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::teams {

/// Adds scan() to what lanes share. All lanes call it.
template <Hardware H>
class BlockScan : protected BlockMasks<H> {
  using Lanes = BlockLanes<H>;

 protected:
  using BlockMasks<H>::BlockMasks;
  using Lanes::barrier, Lanes::hardware_, Lanes::lane, Lanes::lanes, Lanes::over_lanes;
  using Lanes::work_;

  /// Each lane has a run of words at distance `stride`: it reduces its run, the lanes scan these
  /// totals, and each lane scans its run, starting from the total before it. Reads the block twice
  /// and writes it once. Runs have odd lengths, so that the lanes of a warp have few bank
  /// conflicts.
  template <class W, class Op>
  FPSYNTH_INLINE void scan(Op op, const W* in, std::size_t n, std::size_t stride, W* out) {
    barrier();
    const std::uint32_t s = std::uint32_t(stride), end = std::uint32_t(n);
    if constexpr (sizeof(W) == 1) {
      if (s <= kMostColumns) return scan_bytes<Op>(in, end, s, out);
    }
    const std::uint32_t groups = lanes() / s;
    if (groups < 2) {
      for (std::uint32_t c = lane(); c < s; c += lanes()) scan_run(op, in, c, end, s, W{0}, out);
    } else {
      const std::uint32_t rows = ((end + s - 1) / s + groups - 1) / groups | 1;
      const std::uint32_t group = lane() / s, begin = group * rows * s + lane() % s;
      const std::uint32_t stop = group < groups && begin + rows * s < end ? begin + rows * s : end;
      W total{0};
      if (group < groups) {
        for (std::uint32_t i = begin; i < stop; i += s) total = op(total, in[i]);
      }
      const W before = total_before(op, total, s, groups);
      if (group < groups) scan_run(op, in, begin, stop, s, before, out);
    }
    barrier();
  }

 private:
  /// Each lane has a run that begins in column 0 and is an odd number of pairs of quads long, so
  /// that pairs at the same place of 16 runs are in all banks.
  template <class Op>
  FPSYNTH_INLINE void scan_bytes(const std::uint8_t* in, std::uint32_t n, std::uint32_t stride,
                                 std::uint8_t* out) {
    const std::uint32_t rows = bytes_of_columns(stride), all = rows * lanes();
    const std::uint32_t run = ((n + all - 1) / all | 1) * rows, begin = lane() * run;
    const std::uint32_t end = begin + run < n ? begin + run : n;
    ByteTotals<Op> totals(stride);
    for (std::uint32_t i = begin; i < end; i += 8) totals.add(PairItem{i}.load(in));
    const std::uint64_t mine = begin < n ? totals.columns() : 0;
    const std::uint64_t before = over_lanes(OnColumns<Op>{}, mine).before;
    if (stride >= 4) {
      scan_pairs(ByteScan<Op, 0>(stride, before), in, begin, end, out);
    } else if (stride >= 2) {
      scan_pairs(ByteScan<Op, 1>(stride, before), in, begin, end, out);
    } else {
      scan_pairs(ByteScan<Op, 2>(1, before), in, begin, end, out);
    }
    barrier();
  }
  template <class Scan>
  FPSYNTH_INLINE static void scan_pairs(Scan scan, const std::uint8_t* in, std::uint32_t begin,
                                        std::uint32_t end, std::uint8_t* out) {
    in_turns(
        begin, end, 8, [=](std::uint32_t i) { return PairItem{i}.load(in); },
        [&](std::uint32_t i, Pair pair) { PairItem{i}.store_aligned(out, scan.next(pair)); });
  }

  template <class W, class Op>
  FPSYNTH_INLINE static void scan_run(Op op, const W* in, std::uint32_t begin, std::uint32_t end,
                                      std::uint32_t stride, W before, W* out) {
    in_turns(
        begin, end, stride, [=](std::uint32_t i) { return in[i]; },
        [&](std::uint32_t i, W word) {
          before = op(before, word);
          out[i] = before;
        });
  }
  /// Lane g * stride + c passes the total of group g in column c and gets the total of the groups
  /// before g in that column.
  template <class W, class Op>
  FPSYNTH_INLINE W total_before(Op op, W total, std::uint32_t stride, std::uint32_t groups) {
    const std::uint32_t width = hardware_.warp_lanes();
    W* const totals = reinterpret_cast<W*>(work_);
    if (stride > width / 2) {
      totals[lane()] = total;
      barrier();
      for (std::uint32_t c = lane(); c < stride; c += lanes()) {
        replace_by_before(op, totals + c, groups, stride, W{0});
      }
      barrier();
      return totals[lane()];
    }
    // Scans within the warp by shuffles; then adds the totals of the warps before it.
    const std::uint32_t in_warp = lane() % width, warp = lane() / width;
    W upto = total;
    for (std::uint32_t d = stride; d < width; d *= 2) {
      const W below = hardware_.shuffle_up(upto, d);
      if (in_warp >= d) upto = op(below, upto);
    }
    const std::uint32_t column = lane() % stride;
    if (lanes() > width && in_warp >= width - stride) totals[warp * stride + column] = upto;
    W found = hardware_.shuffle_up(upto, stride);
    if (in_warp < stride) found = W{0};
    barrier();
    for (std::uint32_t w = 0; w < warp; ++w) found = op(found, totals[w * stride + column]);
    return found;
  }
  template <class W, class Op>
  FPSYNTH_INLINE static void replace_by_before(Op op, W* totals, std::uint32_t count,
                                               std::uint32_t stride, W before) {
    for (std::uint32_t r = 0; r < count; ++r) {
      const W total = totals[r * stride];
      totals[r * stride] = before;
      before = op(before, total);
    }
  }
};

}  // namespace fpsynth::teams
