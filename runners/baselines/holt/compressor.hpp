#pragma once
// Holt's linear exponential smoothing as a compressor (holt.txt, sections III and V): values are
// predicted by a level and a slope, in runs that are independent of each other.
//
// In a run, y(0) is predicted by 0 and y(1) by y(0). Then L(0) = y(0), b(0) = y(1) - y(0) and, with
// the paper's equations (1) and (2),
//   L(t) = alpha y(t) + (1 - alpha) (L(t-1) + b(t-1))
//   b(t) = beta (L(t) - L(t-1)) + (1 - beta) b(t-1)
// y(t) is predicted by L(t-1) + b(t-1). The paper leaves the rounding open: here every operation is
// an IEEE 754 one of the data's own precision, in the order written, none fused, and a forecast
// that is NaN counts as 0, because machines differ in which NaN they make. So all of them agree.
//
// FORMAT, little endian, version 1:
//   0  "HOLT"
//   4  u8   version, 1
//   5  u8   word size in bytes, w: 4 (singles, as in the paper) or 8 (doubles)
//   6  u16  0
//   8  u32  values in a run, R: 1 to 65,536; the last run has what is left
//   12 f64  alpha, 0 to 1; rounded to the data's precision when it is used
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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/baselines/baseline.hpp"
#include "runners/baselines/device_common.hpp"
#include "runners/device/device_info.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

/// Values per run in the paper's best configuration (section VI.A).
inline constexpr std::uint32_t kHoltRun = 115;
inline constexpr std::uint32_t kMaxHoltRun = 65536;

struct HoltParameters {
  double alpha = 0, beta = 0;    ///< 0 to 1; 0 as in the paper's Algorithm 1
  std::uint32_t run = kHoltRun;  ///< values
};

/// The file of `input`, in the memory of `buffer`, whose contents are replaced. Uses `threads`
/// threads (0: as many as OpenMP has). Throws UsageError for parameters out of range.
std::vector<std::byte> encode_holt(std::span<const std::byte> input, synth::Precision precision,
                                   const HoltParameters& parameters = {}, int threads = 0,
                                   std::vector<std::byte> buffer = {});

/// The precision of a file's values. Throws Error if it is not a Holt file.
synth::Precision holt_precision(std::span<const std::byte> file, std::string_view name);

/// The original of a file, which may hold any bytes: at most 8 times its size. Throws Error with
/// `name` and what is wrong.
std::vector<std::byte> decode_holt(std::span<const std::byte> file, std::string_view name,
                                   int threads = 0);

/// The same, to the caller's memory. Throws Error as well if the original does not fill it.
void decode_holt_into(std::span<const std::byte> file, std::string_view name,
                      std::span<std::byte> out, int threads = 0);

/// Holt's method on all processors. Throws UsageError for parameters out of range.
Compressor holt(const HoltParameters& parameters = {});

/// Holt's method on a device, mapped as in its paper: one thread processes a run, through shared
/// memory. Inputs larger than the device's memory are processed in batches of whole runs, one after
/// the other. The host computes the format's checksum, before or after the device's work.
class HoltDevice : public BaselineDevice {
 public:
  /// Replaces the contents of `file` by the file that encode_holt() writes. Throws what
  /// encode_holt() throws, and DeviceError if the device fails or its memory is too small for one
  /// run.
  virtual void encode_into(std::span<const std::byte> input, synth::Precision precision,
                           const HoltParameters& parameters, std::vector<std::byte>& file) = 0;
  /// The same, to newly allocated memory.
  std::vector<std::byte> encode(std::span<const std::byte> input, synth::Precision precision,
                                const HoltParameters& parameters) {
    std::vector<std::byte> file;
    encode_into(input, precision, parameters, file);
    return file;
  }
};

/// Throws DeviceError if the program was built without CUDA or the device cannot be used.
std::unique_ptr<HoltDevice> holt_on(const device::DeviceInfo& info);

std::unique_ptr<Baseline> holt_baseline();

/// Sizes that holt_sweep() uses of an input: 4 KiB, four times as much, and so on, and the whole
/// input.
std::vector<std::size_t> holt_sizes(std::size_t bytes);

/// A row for each input, in singles as in the paper, and each of holt_sizes(): for the input's
/// first bytes of that size, the ratio, the paper's ratio (compressed / original bytes) and the
/// throughput. Every round trip is verified before it is timed; throughput is the median of the
/// repetitions. Throws Error if a round trip fails.
///
/// On a device called `name`, columns of its kernels' throughput and of the milliseconds of its
/// kernels and transfers follow, and all bytes are timed, whatever effort.timed_bytes is.
results::Table holt_sweep(std::span<const SweepInput> inputs, const timing::Effort& effort,
                          const timing::Progress& progress = nullptr,
                          const std::shared_ptr<HoltDevice>& device = nullptr,
                          const std::string& name = {});

}  // namespace fpsynth::baselines
