#pragma once
// Generated codecs on this machine: source code for a single pipeline, compiled by the system's
// compiler on first use, and loaded.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runners/timing/backend.hpp"
#include "runners/timing/compiled/file_cache.hpp"

namespace fpsynth::timing {

/// A C++ compiler of the system.
struct Compiler {
  std::string command;  ///< "g++", or the value of CXX, which may have arguments: "ccache g++ -O3"
  std::string version;  ///< the first line that --version prints
};

/// The compiler named by the environment variable CXX, or else the first of c++, g++ and clang++
/// that runs. Throws Error with a remedy if the one in CXX does not run, or if none is found.
Compiler find_compiler();

/// Compiles codecs for this machine's processor, with all its instructions.
class CodeLoader {
 public:
  CodeLoader(Compiler compiler, FileCache cache);
  const Compiler& compiler() const { return compiler_; }
  /// The codec of a pipeline, from the cache or newly compiled. Throws Error with the beginning of
  /// the compiler's output if it cannot be compiled, and if it cannot be loaded.
  std::unique_ptr<TimedCodec> load(const synth::Pipeline& pipeline, synth::Precision precision,
                                   std::uint64_t threads) const;

 private:
  std::filesystem::path library(const std::string& source) const;
  Compiler compiler_;
  FileCache cache_;
};

/// Adds generated code to the CPU's variants, for the same numbers of threads as the library's.
/// Returns an empty string, or a message for the user if that is impossible.
std::string add_generated_code(Backend& backend);

}  // namespace fpsynth::timing
