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
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runners/baselines/holt/lanes.hpp"

namespace fpsynth::baselines {

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
