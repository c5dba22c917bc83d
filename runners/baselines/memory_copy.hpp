#pragma once
// A plain copy in memory, the first row of every table of throughputs. It shows the cost of memory
// and of the compressor interface, which is an upper bound for the others.

#include "runners/baselines/compressor.hpp"

namespace fpsynth::baselines {

/// "memcpy", on a number of threads.
Compressor memory_copy(int threads = 1);

}  // namespace fpsynth::baselines
