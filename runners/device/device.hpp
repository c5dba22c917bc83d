#pragma once
// The GPUs of this machine, for the parts of the program that nvcc does not compile.

#include <string>
#include <string_view>
#include <vector>

#include "runners/device/device_info.hpp"

namespace fpsynth::device {

/// Whether the program was built with CUDA.
bool built_with_cuda();

/// The GPUs that this program can run on; may be empty. `why_none`, if given, receives the reason:
/// not built with CUDA, no driver, no device, or no device for whose architecture the program has
/// code. `among`: only GPUs of these indexes, if any are given; the others are not touched, because
/// probing a GPU allocates memory on it. Does not throw.
std::vector<DeviceInfo> cuda_devices(std::string* why_none = nullptr,
                                     const std::vector<int>& among = {});

/// The devices that `--device` names: "all", or indexes as in "0" or "0,2". Throws UsageError for
/// anything else and DeviceError for a device that does not exist.
std::vector<DeviceInfo> parse_devices(std::string_view text);

/// The backends that `--backend` can name.
enum class Backend { Cpu, Cuda };

/// Parses "cpu", "cuda" or "auto". "auto" means a GPU if one of `devices` (written as for
/// `--device`) can be used, else the CPU, with the reason printed to standard error. Throws
/// UsageError for another name, DeviceError for "cuda" if there is no GPU.
Backend parse_backend(std::string_view text, std::string_view devices = "all");

}  // namespace fpsynth::device
