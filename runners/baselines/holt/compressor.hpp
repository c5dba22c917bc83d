#pragma once
// Holt's linear exponential smoothing as a compressor (holt.txt, sections III and V): values are
// predicted by a level and a slope, in runs that are independent of each other.
//
// In a run, y(0) is predicted by 0 and y(1) by y(0). Then L(0) = y(0), b(0) = y(1) - y(0) and, with
// the paper's equations (1) and (2),
//   L(t) = alpha y(t) + (1 - alpha) (L(t-1) + b(t-1))
//   b(t) = beta (L(t) - L(t-1)) + (1 - beta) b(t-1)
// y(t) is predicted by L(t-1) + b(t-1). As in the paper ("interprets all the 32-bit floats as
// integers and uses integer arithmetic", `int Level, Slope`), y, L and b are the integers that have
// the values' bits, modulo 2^w. The paper leaves the rounding of products open: here a factor is a
// multiple of 1/65,536, and
//   L(t) = F + alpha (y(t) - F), F = L(t-1) + b(t-1); b(t) = b(t-1) + beta (L(t) - L(t-1) - b(t-1))
// with each product of a factor and a signed difference rounded down.
//
// With `floats`, they are the values: every operation is an IEEE 754 one of the data's own
// precision, in the order of (1) and (2), none fused, and a forecast that is NaN counts as 0,
// because machines differ in which NaN they make. So all of them agree.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/baselines/baseline.hpp"
#include "runners/baselines/device_common.hpp"
#include "runners/baselines/holt/format.hpp"
#include "runners/device/device_info.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::baselines {

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
using HoltDevice = EncodingDevice<synth::Precision, HoltParameters>;

/// For on_gpu(). Throws DeviceError if the device cannot be used.
std::shared_ptr<HoltDevice> holt_on(const device::DeviceInfo& info);

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

/// The ratios of whole inputs, in singles: of runs of some lengths with alpha = beta = 0, as in the
/// paper, and of runs of 115 values with each alpha of 0.25, 0.5, 0.75 and 1 and beta of these and
/// 0 (with alpha = 0, beta has no effect); each on integers and on floats.
results::Table holt_settings(std::span<const SweepInput> inputs,
                             const timing::Progress& progress = nullptr);

}  // namespace fpsynth::baselines
