#include "runners/device/device.hpp"

#include <fmt/core.h>

#include <charconv>

namespace fpsynth::device {
namespace {

/// The oldest driver, by its number, for programs that were built with a version of CUDA.
std::string_view least_driver(int runtime) {
  switch (runtime / 1000) {
    case 12:
      return "525";
    case 13:
      return "580";
    default:
      return "of that CUDA's release notes";
  }
}

}  // namespace

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string why_no_gpu(int driver, int runtime, std::string_view error) {
  if (driver == 0) return "this machine has no NVIDIA driver";
  if (driver / 1000 < runtime / 1000) {
    return fmt::format(
        "the NVIDIA driver is for CUDA {}, and this program was built with CUDA {}; install driver "
        "{} or newer{}",
        version_text(driver), version_text(runtime), least_driver(runtime),
        driver / 1000 == 12 ? ", or build with CUDA 12.x" : "");
  }
  return fmt::format("no NVIDIA GPU can be used ({})", error);
}

std::string way_to_code_for(int major, int minor, int runtime) {
  const int number = 10 * major + minor;
  const bool dropped = number < 75 && runtime >= 13000;
  return fmt::format("its compute capability is {}.{}; build with {}-DCMAKE_CUDA_ARCHITECTURES={}",
                     major, minor, dropped ? "CUDA 12.x, because 13 begins with 7.5, and " : "",
                     number);
}

DeviceCode code_for(std::string_view architectures, int major, int minor) {
  const int wanted = 10 * major + minor;
  DeviceCode best = DeviceCode::None;
  for (std::string_view rest = architectures; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(word.size() == rest.size() ? word.size() : word.size() + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc()) return DeviceCode::Machine;
    const std::string_view kind = word.substr(static_cast<std::size_t>(end - word.data()));
    // 90a is only for 9.0, 100f also for later ones of its major number.
    const bool alone = kind.starts_with('a'), family = kind.starts_with('f');
    const bool same_major = number / 10 == major;
    const bool runs = alone ? number == wanted : same_major && number <= wanted;
    if (runs && kind.find("virtual") == kind.npos) return DeviceCode::Machine;
    const bool compiles = alone || family ? runs : number <= wanted;
    if (compiles && kind.find("real") == kind.npos) best = DeviceCode::Ptx;
  }
  return best;
}

}  // namespace fpsynth::device
