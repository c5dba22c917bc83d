#pragma once
// Timed compressors as a table: every row of throughput documents, and the means over data sets.

#include <span>

#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"

namespace fpsynth::results {

/// A row for each row of the documents, in their order. After them, two rows of means for each
/// compressor that was timed on all data sets of a precision on a device, if there are several. The
/// data set of the first is "harmonic mean" (as in the GFC, pFPC and Holt papers, also for
/// throughputs), of the second "mean" (arithmetic for throughputs; the ratio is again the harmonic
/// mean). Throughputs are 1e9 original bytes per second at the median, of the wall time, which
/// includes transfers, and of a GPU's kernels alone.
Table timed(std::span<const ThroughputDocument> documents);

}  // namespace fpsynth::results
