#pragma once
// The GPUs of this machine, for the parts of the program that are compiled without nvcc.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "synth/error.hpp"

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
  /// Of all its multiprocessors together, by their number, width and clock.
  double shared_bytes_per_second = 0;
};

/// Whether the program was built with CUDA.
bool built_with_cuda();

/// The GPUs that this program can run on; empty without one. `why_none`, if given, is told why
/// there is none: not built with CUDA, no driver, no device, or none whose architecture the program
/// has code for. Does not throw.
std::vector<DeviceInfo> cuda_devices(std::string* why_none = nullptr);

/// What `--device` names: "all", or indexes as in "0" or "0,2". Throws UsageError for anything else
/// and DeviceError for a device that is not there.
std::vector<DeviceInfo> parse_devices(std::string_view text);

/// What `--backend` names.
enum class Backend { Cpu, Cuda };

/// "cpu", "cuda" or "auto": a GPU if one can be used, else the CPU with a line on standard error
/// that says why. Throws UsageError for another name, DeviceError for "cuda" where there is none.
Backend parse_backend(std::string_view text);

}  // namespace fpsynth::device
