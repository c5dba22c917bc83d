#pragma once
// The GPUs of this machine, for the parts of the program that are compiled without nvcc.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runners/device/device_info.hpp"

namespace fpsynth::device {

/// Whether the program was built with CUDA.
bool built_with_cuda();

/// The GPUs that this program can run on, the first `most` of them; empty without one. `why_none`,
/// if given, is told why there is none: not built with CUDA, no driver, no device, or none whose
/// architecture the program has code for. Of the GPUs of these numbers only, if any are given.
/// Those that it returns are opened, which takes memory on each, the others left alone; the calling
/// thread's device stays what it is. Does not throw.
std::vector<DeviceInfo> cuda_devices(std::string* why_none = nullptr,
                                     const std::vector<int>& among = {},
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

/// What `--device` names: "all", or indexes as in "0" or "0,2"; of "all", the first `most` that can
/// be used. Throws UsageError for anything else and DeviceError for a device that is not there. To
/// be called for devices that will be used: says so on a terminal where their driver has kernels to
/// compile first.
std::vector<DeviceInfo> parse_devices(std::string_view text,
                                      std::size_t most = std::numeric_limits<std::size_t>::max());

/// What the user is told where the driver compiles the program's kernels, which may take minutes in
/// which nothing is seen; empty where it need not.
std::string compiling_note(const std::vector<DeviceInfo>& devices);

/// The backends that `--backend` can name.
enum class Backend { Cpu, Cuda };

/// Parses "cpu", "cuda" or "auto". "auto" means a GPU if one of `devices` (written as for
/// `--device`) can be used, else the CPU, with the reason printed to standard error if the machine
/// has a GPU. Throws UsageError for another name, DeviceError for "cuda" if there is no GPU.
Backend parse_backend(std::string_view text, std::string_view devices = "all");

/// That line. For those who find, with `auto`, that the GPU cannot do what is asked
/// (DeviceTooSmall).
void tell_of_cpu(std::string_view why);

}  // namespace fpsynth::device
