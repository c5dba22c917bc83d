#include "runners/device/cpu_name.hpp"

#include <fstream>

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
