#include "runners/device/device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace fpsynth::device {
namespace {

std::string list_of(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.index, device.name);
  }
  return text;
}

}  // namespace

std::vector<DeviceInfo> parse_devices(std::string_view text) {
  std::string why;
  const std::vector<DeviceInfo> all = cuda_devices(&why);
  std::vector<DeviceInfo> chosen;
  if (text != "all") {
    std::vector<int> indexes;
    for (std::string_view rest = text;;) {
      const std::string_view number = rest.substr(0, rest.find(','));
      int index = -1;
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), index);
      if (error != std::errc() || end != number.data() + number.size() || index < 0) {
        throw UsageError(fmt::format("--device '{}': give all, or indexes such as 0 or 0,2", text));
      }
      if (std::ranges::find(indexes, index) == indexes.end()) indexes.push_back(index);
      if (number.size() == rest.size()) break;
      rest.remove_prefix(number.size() + 1);
    }
    for (const int index : indexes) {
      const auto found = std::ranges::find(all, index, &DeviceInfo::index);
      if (found != all.end()) {
        chosen.push_back(*found);
      } else if (!all.empty()) {
        throw DeviceError(fmt::format("--device {}: there is no GPU {}; there are {}", text, index,
                                      list_of(all)));
      }
    }
  }
  if (all.empty()) throw DeviceError(fmt::format("no GPU to run on: {}", why));
  return text == "all" ? all : chosen;
}

Backend parse_backend(std::string_view text) {
  if (text == "cpu") return Backend::Cpu;
  if (text != "cuda" && text != "auto") {
    throw UsageError(fmt::format("--backend '{}': give auto, cpu or cuda", text));
  }
  std::string why;
  if (!cuda_devices(&why).empty()) return Backend::Cuda;
  if (text == "cuda") {
    throw DeviceError(fmt::format("no GPU to run on: {}; --backend cpu runs without one", why));
  }
  fmt::print(stderr, "fpsynth: running on the CPU: {}\n", why);
  return Backend::Cpu;
}

}  // namespace fpsynth::device
