#pragma once
// The description of a device, and the error that a device reports.

#include <cstddef>
#include <string>

#include "synth/common/error.hpp"

namespace fpsynth::device {

/// A device failed, or no device can do what was requested. Earlier results remain valid.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A device does not suit the work: it lacks the memory or the components that the work needs.
/// Nothing has been written, so that `--backend auto` can use the CPU for what is left.
class DeviceUnsuitable : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Does work that writes output: what lacks memory then is a DeviceError, because the CPU cannot
/// take over any more.
template <class Work>
auto with_output(Work work) {
  try {
    return work();
  } catch (const DeviceUnsuitable& error) {
    throw DeviceError(error.what());
  }
}

struct DeviceInfo {
  int index = 0;     ///< CUDA's number of the device
  std::string name;  ///< e.g. "NVIDIA H100 80GB HBM3"
  int major = 0, minor = 0;
  std::size_t memory_bytes = 0;
  /// Speed of all shared memory: the number of multiprocessors times the width of each one's shared
  /// memory and the clock.
  double shared_bytes_per_second = 0;
  std::size_t cache_bytes = 0;  ///< of the last level
  /// True if the program has no machine code for it, but PTX, which its driver compiles.
  bool compiles_ptx = false;
};

}  // namespace fpsynth::device
