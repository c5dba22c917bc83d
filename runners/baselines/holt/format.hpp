#pragma once
// The frame of a Holt file, shared by the CPU and devices: parameters, header, run sizes.
//
// FORMAT, little endian, version 1:
//   0  "HOLT"
//   4  u8   version, 1
//   5  u8   word size in bytes, w: 4 (singles, as in the paper) or 8 (doubles)
//   6  u8   what is smoothed: 0 the values, 1 the integers that have their bits
//   7  u8   0
//   8  u32  values in a run, R: 1 to 65,536; the last run has what is left
//   12 f64  alpha, 0 to 1; rounded to the data's precision when it is used, or
//           to a multiple of 1/65,536
//   20 f64  beta, the same
//   28 u64  size of the original in bytes
//   36 u64  XXH3-64 (seed 0) of the original
//   44 u64  number of runs: ceil(values / R)
//   52 ...  the original's last bytes that fill no word, verbatim
// then the paper's metadata, the size of each run in bytes (u16, or u32 where R is so big that the
// worst run has more than 65,535), of which the running sums are the offsets of the runs; then the
// runs, back to back. A run of k values is ceil(2k / 8) bytes of codes (w = 8: ceil(3k / 8)), the
// first value in the lowest bits, the unused bits 0; then the residuals, value xor prediction, each
// in code + 1 low-order bytes, least significant first: as few as hold it, and at least one.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "components/words/bits.hpp"

// The arithmetic of Holt's method on one run (compressor.hpp): small functions shared by sixteen
// runs side by side on a CPU and by a thread of a GPU.

namespace fpsynth::words {

// Floating-point operations that are rounded one by one on every processor, as in IEEE 754.
// Compilers for GPUs would otherwise fuse a product with the addition that uses it.

template <typename Real>
FPSYNTH_INLINE Real rounded_sum(Real a, Real b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>) return __fadd_rn(a, b);
  if constexpr (std::is_same_v<Real, double>) return __dadd_rn(a, b);
#endif
  return a + b;
}

template <typename Real>
FPSYNTH_INLINE Real rounded_product(Real a, Real b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Real) == 4) return __fmul_rn(a, b);
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

}  // namespace fpsynth::words

namespace fpsynth::baselines {

/// `Real` is what is smoothed: the values, float or double, or the words that have their bits.
template <typename Real>
using HoltWord = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

/// Bits of a code: log2 of the word's bytes.
template <typename Real>
inline constexpr unsigned kHoltCodeBits = sizeof(Real) == 4 ? 2 : 3;

template <typename Real>
FPSYNTH_INLINE constexpr std::size_t holt_code_bytes(std::size_t values) {
  return (kHoltCodeBits<Real> * values + 7) / 8;
}

template <typename Real>
constexpr std::size_t holt_worst_bytes(std::size_t values) {
  return holt_code_bytes<Real>(values) + sizeof(Real) * values;
}

/// The code of a residual: its number of bytes minus 1.
template <typename Word>
FPSYNTH_INLINE constexpr std::uint32_t holt_code_of(Word residual) {
  if constexpr (sizeof(Word) == 4) return words::highest_bit32(residual | 1) / 8;
  return static_cast<std::uint32_t>(words::highest_bit(residual | 1)) / 8;
}

/// Machines produce different NaNs, so a forecast of NaN counts as 0.
template <typename Real>
FPSYNTH_INLINE HoltWord<Real> holt_forecast_bits(Real forecast) {
  if constexpr (std::is_integral_v<Real>) {
    return forecast;
  } else {
    return forecast == forecast ? std::bit_cast<HoltWord<Real>>(forecast) : 0;
  }
}

/// The smoothing factors and their complements, in the data's precision. Those of words are
/// multiples of 1/65,536, and have no complements.
template <typename Real>
struct HoltFactors {
  Real alpha, beta, keep_level, keep_slope;

  HoltFactors(double a, double b)
      : alpha(rounded(a)), beta(rounded(b)), keep_level(1 - alpha), keep_slope(1 - beta) {}

 private:
  static Real rounded(double factor) {
    if constexpr (std::is_integral_v<Real>) factor = 65536 * factor + 0.5;
    return static_cast<Real>(factor);
  }
};

/// The part of a signed difference that a factor of words says, rounded down.
template <typename Word>
FPSYNTH_INLINE Word holt_part(Word factor, Word difference) {
  const Word high = static_cast<Word>(static_cast<std::make_signed_t<Word>>(difference) >> 16);
  return factor * high + (factor * (difference & 0xffff) >> 16);
}

/// Level and slope of a run after its next value.
template <typename Real>
FPSYNTH_INLINE void holt_update(const HoltFactors<Real>& factors, Real value, Real& level,
                                Real& slope) {
  Real next;
  if constexpr (std::is_integral_v<Real>) {
    next = level + slope + holt_part(factors.alpha, value - level - slope);
    slope += holt_part(factors.beta, next - level - slope);
  } else {
    using words::rounded_product, words::rounded_sum;
    next = rounded_sum(rounded_product(factors.alpha, value),
                       rounded_product(factors.keep_level, rounded_sum(level, slope)));
    slope = rounded_sum(rounded_product(factors.beta, rounded_sum(next, -level)),
                        rounded_product(factors.keep_slope, slope));
  }
  level = next;
}

/// Values per run in the paper's best configuration (section VI.A).
inline constexpr std::uint32_t kHoltRun = 115;
inline constexpr std::uint32_t kMaxHoltRun = 65536;

struct HoltParameters {
  double alpha = 0, beta = 0;    ///< 0 to 1; 0 as in the paper's Algorithm 1
  std::uint32_t run = kHoltRun;  ///< values
  bool floats = false;           ///< smooth the values, not the integers that have their bits
};

/// Throws UsageError for parameters out of range.
void check_holt(const HoltParameters& parameters);

inline constexpr std::size_t kHoltHeaderBytes = 52;

/// The division of an original into runs.
struct HoltLayout {
  HoltParameters parameters;
  std::size_t word_bytes, original_bytes;

  /// The result of f(real), where `real` has the type of what is smoothed.
  template <class F>
  auto in_precision(F f) const {
    if (parameters.floats) return word_bytes == 4 ? f(float{}) : f(double{});
    return word_bytes == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
  }
  std::size_t values() const { return original_bytes / word_bytes; }
  std::size_t tail() const { return original_bytes % word_bytes; }
  std::size_t runs() const { return (values() + parameters.run - 1) / parameters.run; }
  /// Number of values of a run.
  std::size_t of(std::size_t run) const {
    return std::min<std::size_t>(parameters.run, values() - run * parameters.run);
  }
  std::size_t worst_run() const {
    return in_precision(
        [&](auto real) { return holt_worst_bytes<decltype(real)>(parameters.run); });
  }
  /// Bytes of a run's size in the metadata.
  std::size_t size_bytes() const { return worst_run() <= 0xffff ? 2 : 4; }
  std::size_t sizes_at() const { return kHoltHeaderBytes + tail(); }
  std::size_t runs_at() const { return sizes_at() + runs() * size_bytes(); }
};

/// Replaces the contents of `out` by the part of a file before its runs: header, tail, and 0 for
/// the runs' sizes.
void put_holt_frame(const HoltLayout& layout, std::span<const std::byte> input,
                    std::vector<std::byte>& out);

/// Writes the sizes of runs, beginning with run `first`, to a frame.
void put_holt_sizes(const HoltLayout& layout, std::size_t first,
                    std::span<const std::uint32_t> sizes, std::byte* frame);

/// Reads the header and checks all that can be checked without the run sizes. Throws Error with
/// `name`.
HoltLayout parse_holt(std::span<const std::byte> file, std::string_view name);

/// The offset of each run, and the end of the last one. Throws Error with `name` for sizes that are
/// impossible or do not add up to the file's size.
std::vector<std::size_t> holt_offsets(std::span<const std::byte> file, const HoltLayout& layout,
                                      std::string_view name);

/// Copies the tail to the end of `out`, which has the decoded values before it, and checks the
/// checksum of the whole original. Throws Error with `name`.
void finish_holt(std::span<const std::byte> file, const HoltLayout& layout, std::string_view name,
                 std::span<std::byte> out);

/// Throws Error: the file is damaged.
[[noreturn]] void refuse_holt(std::string_view name, std::string_view what);

}  // namespace fpsynth::baselines
