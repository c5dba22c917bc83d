#include "runners/timing/compiled/compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <sstream>

#include "synth/common/atomic_file.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/raise.hpp"
#include "synth/generator/project.hpp"

namespace fpsynth::timing {
namespace {

/// The program and the arguments of a command, which blanks separate.
std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

std::optional<Compiler> Compiler::of(const std::string& command) {
  const TemporaryFolder folder({"log"});
  std::vector<std::string> words = words_of(command);
  if (words.empty()) return std::nullopt;
  words.push_back("--version");
  if (!run_program(words, folder / "log")) return std::nullopt;
  const std::string text = content_of(folder / "log");
  const std::size_t release = text.find(", release ");
  const std::size_t begin = release == text.npos ? 0 : text.rfind('\n', release) + 1;
  return Compiler{command, text.substr(begin, text.find('\n', begin) - begin)};
}

void Compiler::compile(const std::string& source, const char* name,
                       const std::vector<std::string>& flags, const char* needs,
                       const std::function<void(const std::string&)>& take) const {
  const TemporaryFolder folder({name, "code", "log"});
  write_whole(folder / name, source);
  std::vector<std::string> words = words_of(command);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-o", folder / "code", folder / name});
  if (!run_program(words, folder / "log")) {
    raise("{} does not compile generated code (which needs {}): {}", command, needs,
          content_of(folder / "log").substr(0, 500));
  }
  take(folder / "code");
}

std::vector<std::filesystem::path> cuda_folders() {
  std::vector<std::filesystem::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home && *home) folders.emplace_back(home);
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

Compiler find_nvcc() {
  for (const std::filesystem::path& folder : cuda_folders()) {
    if (auto nvcc = Compiler::of(folder / "bin" / "nvcc")) return *nvcc;
  }
  if (auto nvcc = Compiler::of("nvcc")) return *nvcc;
  throw Error("nvcc was not found; install the CUDA Toolkit, or name its folder in CUDA_HOME");
}

std::vector<std::byte> compiled_kernels(const Compiler& nvcc, const synth::Pipeline& pipeline,
                                        std::size_t word_bytes, const std::string& architecture) {
  std::vector<std::byte> code;
  nvcc.compile(synth::generate_kernels(pipeline, word_bytes), "kernels.cu",
               {"-std=c++20", "--expt-relaxed-constexpr", "--cubin", "-arch=" + architecture},
               "CUDA 12 or later", [&](const std::string& path) {
                 const std::string text = content_of(path);
                 std::ranges::copy(std::as_bytes(std::span(text)), std::back_inserter(code));
               });
  return code;
}

}  // namespace fpsynth::timing
