#pragma once

#include "runners/timing/backend.hpp"

namespace fpsynth::timing {

/// This machine's processors: the library's codec on one thread and, where there are more, on
/// `threads` (0: as many as OpenMP would use).
Backend cpu_backend(int threads = 0);

}  // namespace fpsynth::timing
