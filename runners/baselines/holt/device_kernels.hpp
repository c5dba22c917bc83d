#pragma once
// Holt's kernels (holt.txt, section V). A lane processes a run, a warp 32 neighbouring runs: its
// group. At any time, neighbouring lanes need values that are a run apart. So a group moves through
// shared memory in tiles of 128 bytes per run, which warps load and store together; an odd stride
// avoids bank conflicts. Warps do not communicate.
//
// Compression predicts twice: once to compute the runs' sizes, whose prefix sums are their offsets,
// and once to write the runs to their offsets. The paper leaves gaps for the worst case and names a
// kernel that closes them as future work; it would read and write the whole file once more. With c
// = compressed / original bytes, the lower bound is (2 + c) / r times the original's size, where r
// is the rate of a device copy counted in both directions; for decompression it is (1 + c) / r.
//
// Residuals are packed and unpacked in place, because the packed form is never longer than the
// values. The packed residuals of a tile move 32 bytes at a time, at any alignment, because runs
// have any length.
//
// According to the PTX, per 32 singles (128 bytes) smoothed as floats: 35 warp instructions for the
// sizes, 105 to encode and 100 to decode. Some 20 of them are the predictor, a chain of ten
// operations that are rounded one by one. On an H100 (132 multiprocessors at 1.75 GHz, 4 warp
// instructions a cycle each) that would allow 0.8 and 1.2 TB/s, and memory at 2.9 TB/s, with c =
// 1, 1.0 and 1.5: instructions are the limit. Doubles need as many per value. These are estimates;
// nothing here has been measured on a device.

#include "runners/baselines/device_common.hpp"
#include "runners/baselines/holt/format.hpp"

namespace fpsynth::baselines::holt_kernels {

/// Values of a run in a tile. Their codes fill whole bytes.
template <typename Real>
inline constexpr std::uint32_t kRows = 128 / sizeof(Real);
template <typename Real>
inline constexpr std::uint32_t kStride = kRows<Real> + 1;
/// Bytes of shared memory for a warp's tile.
template <typename Real>
inline constexpr std::uint32_t kTileBytes = 32 * kStride<Real> * sizeof(Real);

/// Runs of values; the last one may be shorter.
struct Runs {
  std::uint32_t each;  ///< values in a run, 1 to 65,536
  std::uint32_t last;  ///< values in the last run
  std::uint32_t runs;

  FPSYNTH_INLINE std::uint32_t groups() const { return (runs + 31) / 32; }
};

/// 32 runs; the last group may have fewer.
struct Group {
  std::uint32_t first;  ///< its first run
  std::uint32_t each, last, left;
  std::uint32_t mine, longest;  ///< values of this lane's run, and of the first one

  FPSYNTH_INLINE Group(const Runs& runs, std::uint32_t group, std::uint32_t lane)
      : first(32 * group),
        each(runs.each),
        last(runs.last),
        left(runs.runs - first),
        mine(lane + 1 < left    ? each
             : lane + 1 == left ? last
                                : 0),
        longest(left > 1 ? each : last) {}

  /// The number of runs, always the first ones, that have more than `values` values. May count runs
  /// after the group.
  FPSYNTH_INLINE std::uint32_t longer_than(std::uint32_t values) const {
    return values < last ? left : values < each ? left - 1 : 0;
  }
};

/// The number of `length` values that are in the tile whose first value is number `done`.
template <typename Real>
FPSYNTH_INLINE std::uint32_t rows_of(std::uint32_t length, std::uint32_t done) {
  const std::uint32_t left = length > done ? length - done : 0;
  return left < kRows<Real> ? left : kRows<Real>;
}

/// Calls f(run, row, index) for the values of a tile; neighbouring lanes process neighbouring
/// values. `index` counts from the group's first value.
template <typename Real, class F>
FPSYNTH_INLINE void for_tile(const Group& group, std::uint32_t done, std::uint32_t lane, F f) {
  constexpr std::uint32_t kStep = 32 / kRows<Real>;
  const std::uint32_t row = lane % kRows<Real>;  // the same in each of the lane's runs
  const std::uint32_t runs = group.longer_than(done + row);
  std::uint32_t run = lane / kRows<Real>, index = run * group.each + done + row;
  for (std::uint32_t k = 0; k < kRows<Real>; ++k, run += kStep, index += kStep * group.each) {
    if (run < runs) f(run, row, index);
  }
}

/// Level and slope of a lane's run. Before the first value they predict 0, after it they predict
/// that value: adding -0 changes nothing, not even another -0.
template <typename Real>
class Smoother {
 public:
  using Word = HoltWord<Real>;

  FPSYNTH_INLINE explicit Smoother(const HoltFactors<Real>& factors) : factors_(factors) {}

  /// The residual of the run's value number `index`; with `decode`, the value for a residual.
  template <bool decode>
  FPSYNTH_INLINE Word pass(std::uint32_t index, Word word) {
    const Word other = word ^ holt_forecast_bits(words::rounded_sum(level_, slope_));
    const Real value = std::bit_cast<Real>(decode ? other : word);
    if (index == 0) {
      level_ = value;
    } else {
      if (index == 1) slope_ = words::rounded_sum(value, -level_);
      holt_update(factors_, value, level_, slope_);
    }
    return other;
  }

 private:
  const HoltFactors<Real>& factors_;
  Real level_ = 0, slope_ = -Real{0};
};

/// Packs residuals without their leading zero bytes, starting at a word.
template <typename Word>
class Packer {
 public:
  FPSYNTH_INLINE explicit Packer(Word* out) : out_(out) {}

  FPSYNTH_INLINE void put(Word residual, std::uint32_t bytes) {
    const Word joined = partial_ | residual << 8 * fill_;
    const std::uint32_t after = fill_ + bytes;
    if (after < sizeof(Word)) {
      partial_ = joined;
      fill_ = after;
    } else {
      *out_++ = joined;
      partial_ = residual >> 8 * (sizeof(Word) - 1 - fill_) >> 8;
      fill_ = after - std::uint32_t(sizeof(Word));
    }
  }
  FPSYNTH_INLINE void finish() {
    if (fill_ > 0) *out_ = partial_;
  }

 private:
  Word* out_;
  Word partial_ = 0;
  std::uint32_t fill_ = 0;
};

/// Computes the sizes of runs, and their sums per group.
template <typename Real>
struct SizesBody {
  static constexpr std::uint32_t kLanes = 64;
  static constexpr std::size_t kSharedBytes = kLanes / 32 * kTileBytes<Real>;
  struct Args {
    const HoltWord<Real>* values;
    std::uint32_t* sizes;
    std::uint64_t* group_sizes;
    Runs runs;
    HoltFactors<Real> factors;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    using Word = HoltWord<Real>;
    const std::uint32_t lane = hw.lane() % 32;
    Word* const tile = reinterpret_cast<Word*>(hw.shared() + hw.lane() / 32 * kTileBytes<Real>);
    for_warp_items(hw, args.runs.groups(), [&](std::uint32_t g) {
      const Group group(args.runs, g, lane);
      const Word* const values = args.values + std::uint64_t{group.first} * group.each;
      Smoother<Real> smoother(args.factors);
      std::uint32_t size = std::uint32_t(holt_code_bytes<Real>(group.mine)) + group.mine;
      for (std::uint32_t done = 0; done < group.longest; done += kRows<Real>) {
        for_tile<Real>(group, done, lane, [&](auto run, auto row, auto index) {
          tile[run * kStride<Real> + row] = values[index];
        });
        hw.warp_barrier();
        const std::uint32_t rows = rows_of<Real>(group.mine, done);
        for (std::uint32_t row = 0; row < rows; ++row) {
          size += holt_code_of(
              smoother.template pass<false>(done + row, tile[lane * kStride<Real> + row]));
        }
        hw.warp_barrier();
      }
      if (group.mine > 0) args.sizes[group.first + lane] = size;
      const std::uint64_t all = warp_sum(hw, std::uint64_t{size});
      if (lane == 0) args.group_sizes[g] = all;
    });
  }
};

/// The position of a lane's run in its group, in bytes.
struct Extent {
  std::uint32_t begin, end;
};
template <teams::Hardware Hardware>
FPSYNTH_INLINE Extent extent_of(Hardware hw, std::uint32_t size) {
  std::uint32_t end = size;
  for (std::uint32_t d = 1; d < 32; d *= 2) {
    const std::uint32_t below = hw.shuffle_up(end, d);
    if (hw.lane() % 32 >= d) end += below;
  }
  return {end - size, end};
}

/// Calls f(run, byte, offset, valid) for the bytes of a tile's codes, with eight lanes per run.
/// Each lane passes the number of its run's code bytes and their offset; `valid` is false after the
/// last.
template <teams::Hardware Hardware, class F>
FPSYNTH_INLINE void for_codes(Hardware hw, std::uint32_t bytes, std::uint32_t offset, F f) {
  for (std::uint32_t k = 0; k < 8; ++k) {
    const std::uint32_t run = 4 * k + hw.lane() % 32 / 8, byte = hw.lane() % 8;
    const std::uint32_t count = hw.shuffle(bytes, run), at = hw.shuffle(offset, run);
    f(run, byte, at + byte, byte < count);
  }
}

/// Calls f(run, bytes, byte, offset) for the packed residuals of a tile. Each lane passes the
/// number of its run's bytes and their offset.
template <teams::Hardware Hardware, class F>
FPSYNTH_INLINE void for_packed(Hardware hw, std::uint32_t bytes, std::uint32_t offset, F f) {
  for (std::uint32_t run = 0; run < 32; ++run) {
    const std::uint32_t count = hw.shuffle(bytes, run), at = hw.shuffle(offset, run);
    for (std::uint32_t byte = hw.lane() % 32; byte < count; byte += 32)
      f(run, count, byte, at + byte);
  }
}

template <typename Real>
struct EncodeKernel {
  static constexpr std::uint32_t kLanes = 64;
  static constexpr std::size_t kSharedBytes = kLanes / 32 * kTileBytes<Real>;
  struct Args {
    const HoltWord<Real>* values;
    const std::uint32_t* sizes;
    const std::uint64_t* group_offsets;  ///< of the groups in `file`
    std::byte* file;
    Runs runs;
    HoltFactors<Real> factors;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    using Word = HoltWord<Real>;
    const std::uint32_t lane = hw.lane() % 32;
    std::byte* const shared = hw.shared() + hw.lane() / 32 * kTileBytes<Real>;
    Word* const tile = reinterpret_cast<Word*>(shared);
    for_warp_items(hw, args.runs.groups(), [&](std::uint32_t g) {
      const Group group(args.runs, g, lane);
      const Word* const values = args.values + std::uint64_t{group.first} * group.each;
      std::byte* const file = args.file + args.group_offsets[g];
      std::uint32_t codes_at =
          extent_of(hw, group.mine > 0 ? args.sizes[group.first + lane] : 0).begin;
      std::uint32_t at = codes_at + std::uint32_t(holt_code_bytes<Real>(group.mine));
      Smoother<Real> smoother(args.factors);
      for (std::uint32_t done = 0; done < group.longest; done += kRows<Real>) {
        for_tile<Real>(group, done, lane, [&](auto run, auto row, auto index) {
          tile[run * kStride<Real> + row] = values[index];
        });
        hw.warp_barrier();
        const std::uint32_t rows = rows_of<Real>(group.mine, done);
        std::uint64_t codes = 0;
        const std::uint32_t bytes = pack(smoother, tile + lane * kStride<Real>, done, rows, codes);
        hw.warp_barrier();
        const std::uint32_t code_bytes = std::uint32_t(holt_code_bytes<Real>(rows));
        for_codes(hw, code_bytes, codes_at, [&](auto run, auto byte, auto offset, bool valid) {
          const std::uint64_t packed = hw.shuffle(codes, run);
          if (valid) file[offset] = std::byte(packed >> 8 * byte);
        });
        for_packed(hw, bytes, at, [&](auto run, auto, auto byte, auto offset) {
          file[offset] = shared[run * kStride<Real> * sizeof(Real) + byte];
        });
        codes_at += code_bytes;
        at += bytes;
        hw.warp_barrier();
      }
    });
  }

 private:
  /// Packs a run's part of a tile in place. Returns its number of bytes.
  static FPSYNTH_INLINE std::uint32_t pack(Smoother<Real>& smoother, HoltWord<Real>* words,
                                           std::uint32_t done, std::uint32_t rows,
                                           std::uint64_t& codes) {
    Packer<HoltWord<Real>> packer(words);
    std::uint32_t bytes = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const HoltWord<Real> residual = smoother.template pass<false>(done + row, words[row]);
      const std::uint32_t code = holt_code_of(residual);
      codes |= std::uint64_t{code} << kHoltCodeBits<Real> * row;
      packer.put(residual, code + 1);
      bytes += code + 1;
    }
    packer.finish();
    return bytes;
  }
};

template <typename Real>
struct DecodeKernel {
  static constexpr std::uint32_t kLanes = 64;
  /// A tile and its codes.
  static constexpr std::uint32_t kWarpBytes = kTileBytes<Real> + 32 * sizeof(std::uint64_t);
  static constexpr std::size_t kSharedBytes = kLanes / 32 * kWarpBytes;
  struct Args {
    const std::byte* file;
    const std::uint32_t* sizes;  ///< of the runs, each at least the length of its codes
    const std::uint64_t* group_offsets;
    HoltWord<Real>* values;
    std::uint32_t* damaged;  ///< becomes 1 if a run's codes do not match its size
    Runs runs;
    HoltFactors<Real> factors;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    using Word = HoltWord<Real>;
    const std::uint32_t lane = hw.lane() % 32;
    std::byte* const shared = hw.shared() + hw.lane() / 32 * kWarpBytes;
    std::byte* const shared_codes = shared + kTileBytes<Real>;
    Word* const tile = reinterpret_cast<Word*>(shared);
    for_warp_items(hw, args.runs.groups(), [&](std::uint32_t g) {
      const Group group(args.runs, g, lane);
      Word* const values = args.values + std::uint64_t{group.first} * group.each;
      const std::byte* const file = args.file + args.group_offsets[g];
      const Extent extent = extent_of(hw, group.mine > 0 ? args.sizes[group.first + lane] : 0);
      std::uint32_t codes_at = extent.begin;
      std::uint32_t at = codes_at + std::uint32_t(holt_code_bytes<Real>(group.mine));
      bool good = true;
      Smoother<Real> smoother(args.factors);
      for (std::uint32_t done = 0; done < group.longest; done += kRows<Real>) {
        const std::uint32_t rows = rows_of<Real>(group.mine, done);
        const std::uint32_t code_bytes = std::uint32_t(holt_code_bytes<Real>(rows));
        for_codes(hw, code_bytes, codes_at, [&](auto run, auto byte, auto offset, bool valid) {
          shared_codes[8 * run + byte] = valid ? file[offset] : std::byte{0};
        });
        hw.warp_barrier();
        const std::uint64_t codes = reinterpret_cast<const std::uint64_t*>(shared_codes)[lane] &
                                    words::low_mask(kHoltCodeBits<Real> * rows);
        std::uint32_t bytes = rows + sum_of(codes);
        good = good && bytes <= extent.end - at;
        if (!good) bytes = 0;
        // The bytes go to the end of the run's part, so that no value overwrites a residual that is
        // still needed.
        for_packed(hw, bytes, at, [&](auto run, auto count, auto byte, auto offset) {
          shared[run * kStride<Real> * sizeof(Real) + 128 - count + byte] = file[offset];
        });
        hw.warp_barrier();
        if (good) unpack(smoother, tile + lane * kStride<Real>, 128 - bytes, done, rows, codes);
        hw.warp_barrier();
        for_tile<Real>(group, done, lane, [&](auto run, auto row, auto index) {
          values[index] = tile[run * kStride<Real> + row];
        });
        codes_at += code_bytes;
        at += bytes;
        // No barrier: the next codes are elsewhere, and have one in front of the next residuals.
      }
      if (!good || at != extent.end) hw.atomic_or(args.damaged, 1);
    });
  }

 private:
  static FPSYNTH_INLINE std::uint32_t sum_of(std::uint64_t codes) {
    constexpr std::uint64_t kOnes = sizeof(Real) == 4 ? 0x5555555555555555 : 0x249249249249;
    std::uint32_t sum = 0;
    for (unsigned bit = 0; bit < kHoltCodeBits<Real>; ++bit) {
      sum += std::uint32_t(words::count_bits(codes >> bit & kOnes)) << bit;
    }
    return sum;
  }
  /// Turns residuals, which begin `from` bytes into the run's part of a tile, into its values.
  static FPSYNTH_INLINE void unpack(Smoother<Real>& smoother, HoltWord<Real>* words,
                                    std::uint32_t from, std::uint32_t done, std::uint32_t rows,
                                    std::uint64_t codes) {
    using Word = HoltWord<Real>;
    constexpr std::uint32_t kBytes = sizeof(Word);
    for (std::uint32_t row = 0; row < rows; ++row) {
      const std::uint32_t bytes = std::uint32_t(codes & (kBytes - 1)) + 1;
      codes >>= kHoltCodeBits<Real>;
      const std::uint32_t shift = 8 * (from % kBytes);
      const Word low = words[from / kBytes] >> shift;
      const Word high = words[from / kBytes + 1] << 1 << (8 * kBytes - 1 - shift);
      const Word residual = (low | high) & Word(~Word{0}) >> 8 * (kBytes - bytes);
      words[row] = smoother.template pass<true>(done + row, residual);
      from += bytes;
    }
  }
};

}  // namespace fpsynth::baselines::holt_kernels
