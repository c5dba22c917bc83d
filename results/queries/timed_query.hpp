#pragma once
// What was timed, as a table: every row of throughput documents, and the means over data sets.

#include <span>

#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"

namespace fpsynth::results {

/// A row for each row of the documents, in their order. After them, for each compressor that was
/// timed on every data set of a precision on a device, where those are several, two rows in whose
/// place of a data set stand "harmonic mean" (as in the GFC, pFPC and Holt papers, also of
/// throughputs) and "mean" (of throughputs; the ratio is again the harmonic one). Throughputs are
/// 1e9 original bytes per second at the median: wall times with whatever transfers there are, and
/// of a GPU's kernels alone.
Table timed(std::span<const ThroughputDocument> documents);

}  // namespace fpsynth::results
