#pragma once
// Whether a program and a machine's GPUs go together, by version numbers.

#include <string>
#include <string_view>

namespace fpsynth::device {

/// Why CUDA finds no GPU. `driver`, `runtime`: the versions of CUDA that the driver is for (0
/// without a driver) and that the program was built with, as CUDA counts them: 12080 is 12.8.
/// `error`: CUDA's own words.
std::string why_no_gpu(int driver, int runtime, std::string_view error);

/// What a program has for a GPU.
enum class DeviceCode {
  None,
  Machine,  ///< its machine code, or that of a GPU whose code it runs
  Ptx,      ///< PTX, of which the driver makes machine code when it is first used
};

/// `architectures`: what the program was compiled for, as CMake has it:
/// "80-real,90-real,90-virtual" or "90", which is both; with commas. `major`, `minor`: the GPU's
/// compute capability. Where the list has other words ("native"), nothing is known, and machine
/// code is taken to be there.
DeviceCode code_for(std::string_view architectures, int major, int minor);

}  // namespace fpsynth::device
