#pragma once
// The clock by which work is timed.

#include <chrono>

namespace fpsynth {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace fpsynth
