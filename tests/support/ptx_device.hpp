#pragma once
// The device that interprets PTX, for tests, which skip themselves in builds without PTX.

#include <gtest/gtest.h>

#include "runners/ptx/device.hpp"

/// Skips a GoogleTest test, with the reason, if PTX cannot be run.
#define FPSYNTH_NEEDS_PTX()                               \
  do {                                                    \
    const std::string why = ::fpsynth::ptx::why_no_ptx(); \
    if (!why.empty()) GTEST_SKIP() << why;                \
  } while (false)
