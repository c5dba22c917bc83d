// Machine code that ptxas makes of the kernels.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "runners/timing/compiled/compiler.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/error.hpp"
#include "tests/ptx/counts/sass.hpp"
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
void read(const std::string& log, std::map<std::string, CompiledKernel>& kernels) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  std::istringstream lines(log);
  CompiledKernel* current = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(kEntry); at != line.npos) {
      const std::string entry = line.substr(at + kEntry.size());
      const auto body = ptx::body_of_entry(entry.substr(0, entry.find('\'')));
      current = body ? &kernels[*body] : nullptr;
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

/// A program of the first CUDA Toolkit that has it, else of PATH.
std::string tool(const char* name) {
  for (const auto& toolkit : timing::cuda_folders()) {
    std::error_code ignored;
    if (const auto here = toolkit / "bin" / name; std::filesystem::exists(here, ignored))
      return here;
  }
  return name;
}

}  // namespace

std::map<std::string, CompiledKernel> compiled_kernels(const std::string& architecture,
                                                       const std::set<std::string>& of) {
  const TemporaryFolder folder({"kernels.ptx", "kernels.cubin", "sass", "log"});
  const std::string ptxas = tool("ptxas"), nvdisasm = tool("nvdisasm");
  for (const std::string& program : {ptxas, nvdisasm}) {
    if (run_program({program, "--version"}, folder / "log")) continue;
    throw Error(fmt::format(
        "{} does not run, without which there is no estimate; install the CUDA Toolkit (nvdisasm "
        "also comes alone, as PyPI's nvidia-cuda-nvdisasm), name its folder in CUDA_HOME or PATH, "
        "or leave out --sass",
        program));
  }
  const std::string ptx = folder / "kernels.ptx", cubin = folder / "kernels.cubin";
  std::map<std::string, CompiledKernel> kernels;
  for (const std::string_view text : ptx::texts()) {
    const File file(text);
    if (std::ranges::none_of(of, [&](const std::string& body) { return file.has(body); })) continue;
    std::ofstream(ptx, std::ios::binary) << text;
    const auto run = [&](const std::vector<std::string>& command, const char* output) {
      if (run_program(command, folder / output)) return;
      throw Error(fmt::format("{} fails on the program's kernels for {}: {}", command.front(),
                              architecture, content_of(folder / output).substr(0, 500)));
    };
    run({ptxas, "-v", "-lineinfo", "-arch=" + architecture, "-o", cubin, ptx}, "log");
    std::map<std::string, CompiledKernel> here;
    read(content_of(folder / "log"), here);
    run({nvdisasm, "-c", "-hex", "-gp", cubin}, "sass");
    for (auto& [entry, code] : read_sass(folder / "sass")) {
      if (const auto body = ptx::body_of_entry(entry)) here[*body].code = std::move(code);
    }
    kernels.merge(here);  // the first of the same name, as kernel_of() takes it
  }
  return kernels;
}

}  // namespace fpsynth::ptx
