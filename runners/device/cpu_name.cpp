// The installed library has this object without the rest of device.hpp, which needs the CUDA
// runtime.

#include <fstream>

#include "runners/device/device.hpp"

namespace fpsynth::device {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

}  // namespace fpsynth::device
