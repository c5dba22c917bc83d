#pragma once
// The processor and the GPUs of this machine, for the parts of the program that are compiled
// without nvcc.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runners/device/device_info.hpp"

namespace fpsynth::device {

/// The processor's name according to the operating system, or "unknown CPU".
std::string cpu_name();

/// True if the program was built with CUDA.
bool built_with_cuda();
/// Throws DeviceError. Only in a program that was built without CUDA.
[[noreturn]] void refuse_without_cuda();

/// The first `most` GPUs that this program can run on; empty if there is none. Only considers the
/// GPUs with the indexes `among`, if any are given. `why_none`, if given, is set to the reason if
/// there is none: not built with CUDA, no driver, no device, or no code for the device's
/// architecture. Opens the GPUs that it returns, which needs memory on each, and no others. The
/// calling thread's current device does not change. Does not throw.
std::vector<DeviceInfo> cuda_devices(std::string* why_none = nullptr,
                                     const std::vector<int>& among = {},
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

/// The indexes of the GPUs for which this program has code. Opens none. Does not throw.
std::vector<int> cuda_device_indexes();

/// The indexes that `--device` names, of "all" cuda_device_indexes(). Throws UsageError.
std::vector<int> listed_devices(std::string_view text);

/// The devices that `--device` names: "all", or indexes as in "0" or "0,2"; of "all", the first
/// `most` that can be used. Throws UsageError for anything else and DeviceError for a device that
/// does not exist. Must be called only for devices that will be used: calls tell_of_compiling().
std::vector<DeviceInfo> parse_devices(std::string_view text,
                                      std::size_t most = std::numeric_limits<std::size_t>::max());

/// A message for the user if the driver must compile the program's kernels first, which may take
/// minutes without any output; empty if it need not.
std::string compiling_note(const std::vector<DeviceInfo>& devices);
/// Prints it to standard error, if that is a terminal.
void tell_of_compiling(const std::vector<DeviceInfo>& devices);

/// The backends that `--backend` can name.
enum class Backend { Cpu, Cuda };

/// Parses "cpu", "cuda" or "auto". "auto" means a GPU if one of `devices` (written as for
/// `--device`) can be used, else the CPU, with the reason printed to standard error if the machine
/// has a GPU. Throws UsageError for another name, DeviceError for "cuda" if there is no GPU.
Backend parse_backend(std::string_view text, std::string_view devices = "all");

/// Prints to standard error that the program runs on the CPU, and why. For callers that find, with
/// `auto`, that the GPU does not suit the work (DeviceUnsuitable).
void report_cpu_fallback(std::string_view why);

/// A version in CUDA's notation: 12080 is "12.8".
std::string version_text(int version);

/// Why CUDA finds no GPU. `driver`, `runtime`: the versions of CUDA that the driver supports (0
/// without a driver) and that the program was built with, in CUDA's notation.
/// `error`: CUDA's message.
std::string why_no_gpu(int driver, int runtime, std::string_view error);

/// The way to a program with code for a GPU that this one has none for. `runtime`: as above.
std::string way_to_code_for(int major, int minor, int runtime);

/// The code that a program has for a GPU.
enum class DeviceCode {
  None,
  Machine,  ///< its machine code, or code of another GPU that it can run
  Ptx,      ///< PTX, which the driver compiles when it is first used
};

/// `architectures`: what the program was compiled for, in CMake's notation with commas:
/// "80-real,90-real,90-virtual" or "90", which means both. `major`, `minor`: the GPU's compute
/// capability. If the list has other words ("native"), the program is assumed to have machine code.
DeviceCode code_for(std::string_view architectures, int major, int minor);

}  // namespace fpsynth::device
