#pragma once
// A plain copy in memory, the first row of every table of throughputs: what memory and the
// interface of a compressor cost, and so the ceiling of the others.

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// "memcpy", on a number of threads.
Compressor memory_copy(int threads = 1);

}  // namespace fpsynth::baselines
