#pragma once
// The GPUs of this machine, for the parts of the program that are compiled without nvcc.

#include <string>
#include <string_view>
#include <vector>

#include "runners/device/device_info.hpp"

namespace fpsynth::device {

/// Whether the program was built with CUDA.
bool built_with_cuda();

/// The GPUs that this program can run on; empty without one. `why_none`, if given, is told why
/// there is none: not built with CUDA, no driver, no device, or none whose architecture the program
/// has code for. Of the GPUs of these numbers only, if any are given: the others are left alone,
/// for the program takes memory on each that it looks at. Does not throw.
std::vector<DeviceInfo> cuda_devices(std::string* why_none = nullptr,
                                     const std::vector<int>& among = {});

/// What `--device` names: "all", or indexes as in "0" or "0,2". Throws UsageError for anything else
/// and DeviceError for a device that is not there.
std::vector<DeviceInfo> parse_devices(std::string_view text);

/// The backends that `--backend` can name.
enum class Backend { Cpu, Cuda };

/// Parses "cpu", "cuda" or "auto". "auto" means a GPU if one of `devices` (written as for
/// `--device`) can be used, else the CPU, with the reason printed to standard error. Throws
/// UsageError for another name, DeviceError for "cuda" if there is no GPU.
Backend parse_backend(std::string_view text, std::string_view devices = "all");

}  // namespace fpsynth::device
