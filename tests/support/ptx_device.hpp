#pragma once
// PtxDevice, for tests of the kernels as nvcc made them; they skip themselves where there is no
// PTX. The build names the header that defines it: the interpreter's, or without CUDA the
// stand-in's.

#include <gtest/gtest.h>

#include FPSYNTH_PTX_DEVICE_HEADER

/// Skips a GoogleTest test, with the reason, if PTX cannot be run.
#define FPSYNTH_NEEDS_PTX()                               \
  do {                                                    \
    const std::string why = ::fpsynth::ptx::why_no_ptx(); \
    if (!why.empty()) GTEST_SKIP() << why;                \
  } while (false)
