#include "runners/device/device.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <system_error>

#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::device {
namespace {

std::string list_of(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.index, device.name);
  }
  return text;
}

/// The indexes that `--device` names; empty for "all".
std::vector<int> indexes_of(std::string_view text) {
  std::vector<int> indexes;
  if (text == "all") return indexes;
  for (std::string_view rest = text;;) {
    const std::string_view number = rest.substr(0, rest.find(','));
    const std::uint64_t index = whole_number(number).value_or(UINT64_MAX);
    if (index > INT_MAX) {
      raise<UsageError>("--device '{}': give all, or indexes such as 0 or 0,2", text);
    }
    if (!std::ranges::count(indexes, int(index))) indexes.push_back(int(index));
    if (number.size() == rest.size()) return indexes;
    rest.remove_prefix(number.size() + 1);
  }
}

[[noreturn]] void refuse_no_gpu(std::string_view why) {
  raise<DeviceError>("no GPU to run on: {}; --backend cpu runs without one", why);
}

/// True if an NVIDIA driver shows a GPU. This program may be unable to use it.
bool machine_has_gpu() {
  std::error_code error;
  const std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", error), end;
  if (!error && gpus != end) return true;
  for (std::filesystem::directory_iterator entry("/dev", error); !error && entry != end;
       entry.increment(error)) {
    constexpr std::string_view kName = "nvidia";
    const std::string name = entry->path().filename();
    if (name.starts_with(kName) && name.find_first_of("0123456789") == kName.size()) return true;
  }
  return std::filesystem::exists("/dev/dxg", error);  // Linux on Windows (WSL)
}

}  // namespace

std::string compiling_note(const std::vector<DeviceInfo>& devices) {
  for (const DeviceInfo& device : devices) {
    if (!device.compiles_ptx) continue;
    const int architecture = 10 * device.major + device.minor;
    return fmt::format(
        "compiling the kernels for GPU {} ({}, compute capability {}.{}), which may take minutes "
        "the first time; a program built with -DCMAKE_CUDA_ARCHITECTURES={} contains them",
        device.index, device.name, device.major, device.minor, architecture);
  }
  return {};
}

void tell_of_compiling(const std::vector<DeviceInfo>& devices) {
  const std::string note = compiling_note(devices);
  if (!note.empty() && ::isatty(STDERR_FILENO)) print_error("fpsynth: {}\n", note);
}

std::vector<int> listed_devices(std::string_view text) {
  return text == "all" ? cuda_device_indexes() : indexes_of(text);
}

std::vector<DeviceInfo> parse_devices(std::string_view text, std::size_t most) {
  const std::vector<int> indexes = indexes_of(text);
  std::string why;
  std::vector<DeviceInfo> chosen =
      cuda_devices(&why, indexes, indexes.empty() ? most : indexes.size());
  for (const int index : indexes) {
    if (std::ranges::find(chosen, index, &DeviceInfo::index) != chosen.end()) continue;
    if (!why.empty()) break;
    const std::vector<DeviceInfo> all = cuda_devices(&why);
    if (!all.empty()) {
      raise<DeviceError>("--device {}: there is no GPU {}; there are {}", text, index,
                         list_of(all));
    }
  }
  if (chosen.empty() || chosen.size() < indexes.size()) refuse_no_gpu(why);
  tell_of_compiling(chosen);
  return chosen;
}

Backend parse_backend(std::string_view text, std::string_view devices) {
  if (text == "cpu") return Backend::Cpu;
  if (text != "cuda" && text != "auto") {
    raise<UsageError>("--backend '{}': give auto, cpu or cuda", text);
  }
  std::string why;
  if (!cuda_devices(&why, indexes_of(devices), 1).empty()) return Backend::Cuda;
  if (why.empty()) why = fmt::format("there is no GPU {}", devices);
  if (text == "cuda") refuse_no_gpu(why);
  if (machine_has_gpu()) report_cpu_fallback(why);
  return Backend::Cpu;
}

void report_cpu_fallback(std::string_view why) {
  print_error("fpsynth: running on the CPU: {}\n", why);
}

}  // namespace fpsynth::device
