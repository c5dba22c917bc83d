// The report of ptxas on the kernels.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "runners/timing/compiled/nvrtc.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/error.hpp"
#include "tests/ptx/counts/kernel_counts.hpp"
#include "tests/ptx/interpreter/file.hpp"

namespace fpsynth::ptx {
namespace {

/// The number before a word, as in "8 bytes stack frame, 4 bytes spill stores".
unsigned number_before(const std::string& line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == line.npos) return 0;
  const std::size_t begin = line.find_last_not_of("0123456789", end - 1);
  return static_cast<unsigned>(
      std::strtoul(line.c_str() + (begin == line.npos ? 0 : begin + 1), nullptr, 10));
}

/// Adds what `ptxas -v` printed:
///   ptxas info    : Compiling entry function 'NAME' for 'sm_90'
///   ...
///       8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
///   ptxas info    : Used 80 registers, ...
void read(const std::string& log, std::map<std::string, KernelResources>& resources) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  std::istringstream lines(log);
  KernelResources* current = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(kEntry); at != line.npos) {
      const std::string entry = line.substr(at + kEntry.size());
      const auto body = ptx::body_of_entry(entry.substr(0, entry.find('\'')));
      current = body ? &resources[*body] : nullptr;
    }
    if (!current) continue;
    if (line.find(" bytes spill stores") != line.npos) {
      current->spill_stores = number_before(line, " bytes spill stores");
      current->spill_loads = number_before(line, " bytes spill loads");
    }
    if (line.find(" registers") != line.npos) {
      current->registers = number_before(line, " registers");
    }
  }
}

}  // namespace

std::map<std::string, KernelResources> kernel_resources(const std::string& architecture) {
  const TemporaryFolder folder({"kernels.ptx", "log"});
  std::string ptxas = "ptxas";
  for (const auto& toolkit : timing::cuda_folders()) {
    std::error_code ignored;
    const auto here = toolkit / "bin" / "ptxas";
    if (!std::filesystem::exists(here, ignored)) continue;
    ptxas = here;
    break;
  }
  if (!run_program({ptxas, "--version"}, folder / "log")) {
    throw Error(
        "registers are what ptxas says, which does not run; install the CUDA Toolkit, name its "
        "folder in CUDA_HOME, or leave out --ptxas");
  }
  std::map<std::string, KernelResources> resources;
  for (const std::string_view text : ptx::texts()) {
    std::ofstream(folder / "kernels.ptx", std::ios::binary) << text;
    if (!run_program({ptxas, "-v", "-arch=" + architecture, "-o", "/dev/null",
                      (folder / "kernels.ptx").string()},
                     folder / "log")) {
      throw Error(fmt::format("{} does not compile the program's PTX for {}: {}", ptxas,
                              architecture, content_of(folder / "log").substr(0, 500)));
    }
    read(content_of(folder / "log"), resources);
  }
  return resources;
}

}  // namespace fpsynth::ptx
