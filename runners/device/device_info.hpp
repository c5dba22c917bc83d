#pragma once
// The description of a device, and the error of one that fails.

#include <cstddef>
#include <string>

#include "synth/common/error.hpp"

namespace fpsynth::device {

/// A device failed, or there is none that could do what was asked. What was done before is good.
class DeviceError : public Error {
 public:
  using Error::Error;
};

struct DeviceInfo {
  int index = 0;     ///< as CUDA counts them
  std::string name;  ///< e.g. "NVIDIA H100 80GB HBM3"
  int major = 0, minor = 0;
  std::size_t memory_bytes = 0;
  /// Of all multiprocessors together: their number times width and clock.
  double shared_bytes_per_second = 0;
  std::size_t cache_bytes = 0;  ///< the last level's
};

}  // namespace fpsynth::device
