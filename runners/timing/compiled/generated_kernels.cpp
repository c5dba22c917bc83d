#include "runners/timing/compiled/nvrtc.hpp"

#include <fmt/core.h>

#include <sstream>

#include "synth/common/error.hpp"
#include "synth/generator/project.hpp"

namespace fpsynth::timing {
namespace {

namespace fs = std::filesystem;

/// A header of the standard library, implemented with libcu++.
std::string standard_header(std::string_view name) {
  // Not every version of libcu++ has it, and components only use it for their names.
  if (name == "string_view") {
    return "#pragma once\n"
           "namespace std {\n"
           "struct string_view {\n"
           "  const char* text;\n"
           "  constexpr string_view(const char* begin) : text(begin) {}\n"
           "};\n"
           "}\n";
  }
  return fmt::format(
      "#pragma once\n"
      "#include <cuda/std/{}>\n"
      "namespace std {{ using namespace cuda::std; }}\n",
      name);
}

}  // namespace

std::vector<fs::path> cuda_header_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& toolkit : cuda_folders()) {
    // CUDA 13 has libcu++ in a separate folder.
    folders.push_back(toolkit / "include" / "cccl");
    folders.push_back(toolkit / "include");
  }
  return folders;
}

fs::path libcudacxx_folder(std::span<const fs::path> folders) {
  std::string tried;
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::exists(folder / "cuda" / "atomic", error)) return folder;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  throw Error(fmt::format(
      "generated kernels need the headers of libcu++, but <cuda/atomic> is in none of "
      "{}; install the CUDA Toolkit's cuda-cccl package, or name the toolkit's folder in CUDA_HOME",
      tried));
}

DeviceSource kernel_source(const synth::Pipeline& pipeline, std::size_t word_bytes,
                           const fs::path& libcudacxx) {
  DeviceSource source;
  source.name = fmt::format("{} on {}-byte words", synth::to_string(pipeline), word_bytes);
  source.text = synth::generate_kernels(pipeline, word_bytes);
  std::istringstream lines(source.text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include <")) continue;
    const std::string name = line.substr(10, line.find('>') - 10);
    // Headers such as <cuda/atomic> are libcu++'s own.
    if (name.find('/') == name.npos) source.headers.push_back({name, standard_header(name)});
  }
  // -default-device makes functions without an annotation device functions.
  source.options = {"-std=c++20", "-default-device",
                    fmt::format("--include-path={}", libcudacxx.string())};
  return source;
}

}  // namespace fpsynth::timing
