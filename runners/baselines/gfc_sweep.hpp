#pragma once
// Table 2 of the GFC paper: ratio by number of chunks; and the throughput.

#include <span>

#include "results/table.hpp"
#include "runners/baselines/measure.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::baselines {

/// A row for each input (doubles) and number of chunks, and after them, if there are several
/// inputs, rows with harmonic means. Every round trip is verified before it is timed; throughput is
/// the median of `repetitions` runs. Throws Error where a round trip fails or an input is no
/// doubles, UsageError for chunks out of 1..65535 or dimensionality out of 1..32.
results::Table gfc_sweep(std::span<const data::Input> inputs, unsigned dimensionality,
                         std::span<const unsigned> chunks, int repetitions,
                         const Progress& progress = nullptr);

}  // namespace fpsynth::baselines
