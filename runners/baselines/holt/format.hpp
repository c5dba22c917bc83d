#pragma once
// The frame of a Holt file (compressor.hpp), shared by the CPU and devices: parameters, header, run
// sizes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/holt/lanes.hpp"

namespace fpsynth::baselines {

/// Throws UsageError for parameters out of range.
void check_holt(const HoltParameters& parameters);

inline constexpr std::size_t kHoltHeaderBytes = 52;

/// The division of an original into runs.
struct HoltLayout {
  HoltParameters parameters;
  std::size_t word_bytes, original_bytes;

  std::size_t values() const { return original_bytes / word_bytes; }
  std::size_t tail() const { return original_bytes % word_bytes; }
  std::size_t runs() const { return (values() + parameters.run - 1) / parameters.run; }
  /// Number of values of a run.
  std::size_t of(std::size_t run) const {
    return std::min<std::size_t>(parameters.run, values() - run * parameters.run);
  }
  std::size_t worst_run() const {
    return word_bytes == 4 ? holt_worst_bytes<float>(parameters.run)
                           : holt_worst_bytes<double>(parameters.run);
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
