#pragma once
// What Figure 4 of the Holt paper shows, on one's own data: throughput by size.

#include <cstdint>
#include <span>

#include "results/table.hpp"
#include "runners/baselines/measure.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::baselines {

/// Sizes that holt_sweep() takes of an input: 4 KiB, four times as much, and so on, and all of it.
std::vector<std::size_t> holt_sizes(std::size_t bytes);

/// A row for each input, in singles as in the paper, and each of holt_sizes(): of so many first
/// bytes the ratio, the paper's (compressed / original bytes) and the throughput. Every round trip
/// is verified before it is timed; throughput is the median of `repetitions` runs. Throws Error
/// where a round trip fails.
results::Table holt_sweep(std::span<const data::Input> inputs, int repetitions,
                          const Progress& progress = nullptr);

}  // namespace fpsynth::baselines
