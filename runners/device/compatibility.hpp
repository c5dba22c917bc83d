#pragma once
// Decides by version numbers if a program can run on a machine's GPUs.

#include <string>
#include <string_view>

namespace fpsynth::device {

/// Why CUDA finds no GPU. `driver`, `runtime`: the versions of CUDA that the driver supports (0
/// without a driver) and that the program was built with, in CUDA's notation: 12080 is 12.8.
/// `error`: CUDA's message.
std::string why_no_gpu(int driver, int runtime, std::string_view error);

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
