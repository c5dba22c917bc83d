#pragma once
// Compilers of the system, which compile generated code when it is timed.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "synth/pipeline.hpp"

namespace fpsynth::timing {

struct Compiler {
  std::string command;  ///< "g++", or the value of CXX, which may have arguments: "ccache g++ -O3"
  std::string version;  ///< the first line that --version prints; of nvcc, that of its release

  /// Nothing if the command does not run.
  static std::optional<Compiler> of(const std::string& command);
  /// Compiles a source, in a file called `name`, and passes the path of the result to `take`.
  /// Throws Error with the beginning of the compiler's output if it cannot be compiled; `needs`:
  /// what it needs.
  void compile(const std::string& source, const char* name, const std::vector<std::string>& flags,
               const char* needs, const std::function<void(const std::string& path)>& take) const;
};

/// The folders of CUDA Toolkits, best first: CUDA_HOME, CUDA_PATH, /usr/local/cuda.
std::vector<std::filesystem::path> cuda_folders();

/// The first nvcc of these folders that runs, or else that of the PATH. Throws Error with a remedy
/// if none does.
Compiler find_nvcc();

/// Machine code of the kernels of a pipeline on words of `word_bytes` bytes
/// (synth::generate_kernels) for an architecture: "sm_90". Throws Error.
std::vector<std::byte> compiled_kernels(const Compiler& nvcc, const synth::Pipeline& pipeline,
                                        std::size_t word_bytes, const std::string& architecture);

}  // namespace fpsynth::timing
