#pragma once
// Figure 4 of the Holt paper (throughput by size) for any data.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/baselines/holt/device.hpp"
#include "runners/data/input.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::timing {

/// Sizes that holt_sweep() uses of an input: 4 KiB, four times as much, and so on, and the whole
/// input.
std::vector<std::size_t> holt_sizes(std::size_t bytes);

/// A row for each input, in singles as in the paper, and each of holt_sizes(): for the input's
/// first bytes of that size, the ratio, the paper's ratio (compressed / original bytes) and the
/// throughput. Every round trip is verified before it is timed; throughput is the median of the
/// repetitions. Throws Error if a round trip fails.
results::Table holt_sweep(std::span<const data::Input> inputs, const Effort& effort,
                          const Progress& progress = nullptr);

/// The same on a device called `name`, with columns of its kernels' throughput and of the
/// milliseconds of its kernels and transfers. Always times all bytes; ignores effort.timed_bytes.
results::Table holt_sweep_on(baselines::HoltDevice& device, std::string_view name,
                             std::span<const data::Input> inputs, const Effort& effort,
                             const Progress& progress = nullptr);

}  // namespace fpsynth::timing
