#pragma once
// The emulated kernels that several tests run are compiled once, in a library for each header
// beside this one. Optimised for the emulated device, one of them takes longer to compile than the
// rest of a test.

#include "tests/support/emulated/device.hpp"

/// The header's library has what stands behind it; only the library's source defines it otherwise.
#ifndef FPSYNTH_SHARED_KERNEL
#define FPSYNTH_SHARED_KERNEL extern template struct
#endif
