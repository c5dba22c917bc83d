#pragma once
// Table 2 of the GFC paper (ratio by number of chunks), with throughputs; and its Figure 2.

#include <span>

#include "results/queries/table.hpp"
#include "runners/data/input.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::timing {

/// A data set and its dimensionality, 1..32.
struct GfcInput {
  data::Input input;
  unsigned dimensionality = 1;
};

/// A row for each input (doubles) and number of chunks, followed, if there are several inputs, by
/// rows with harmonic means. Every round trip is verified before it is timed; throughput is the
/// median of the repetitions. Throws Error if a round trip fails or an input has no doubles,
/// UsageError for chunks out of 1..65535 or dimensionality out of 1..32.
results::Table gfc_sweep(std::span<const GfcInput> inputs, std::span<const unsigned> chunks,
                         const Effort& effort, const Progress& progress = nullptr);

/// Figure 2: for each input (doubles) and each number n from 0 to 8, the values whose residual
/// starts with n zero bytes (8: it is zero), in one chunk. Throws as gfc_sweep() does.
results::Table gfc_leading_zeros(std::span<const GfcInput> inputs);

}  // namespace fpsynth::timing
