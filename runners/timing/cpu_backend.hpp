#pragma once

#include "runners/timing/backend.hpp"

namespace fpsynth::timing {

/// This machine's CPU: the library's codec on one thread and, if there are more, on `threads`
/// threads (0: as many as OpenMP would use).
Backend cpu_backend(int threads = 0);

}  // namespace fpsynth::timing
