#pragma once
// Generated codecs on this machine: source of one pipeline alone, compiled by the system's compiler
// when it is first asked for, and loaded.

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
  std::string command;  ///< "g++", or what CXX says, which may have arguments: "ccache g++ -O3"
  std::string version;  ///< the first line that --version prints
};

/// What the environment variable CXX names, or else the first of c++, g++ and clang++ that runs.
/// Throws Error, which says what to do, where CXX names nothing that does and where there is none.
Compiler find_compiler();

/// Compiles codecs for this machine's processor, with all the instructions that it has.
class CodeLoader {
 public:
  CodeLoader(Compiler compiler, FileCache cache);
  const Compiler& compiler() const { return compiler_; }
  /// The codec of a pipeline, from the cache or compiled now. Throws Error with the compiler's
  /// first words where it cannot be compiled, and where it cannot be loaded.
  std::unique_ptr<TimedCodec> load(const synth::Pipeline& pipeline, synth::Precision precision,
                                   std::uint64_t threads) const;

 private:
  std::filesystem::path library(const std::string& source) const;
  Compiler compiler_;
  FileCache cache_;
};

/// Adds generated code to the CPU's variants, for the same numbers of threads as the library's.
/// Returns what the user should know where it cannot: empty if all is well.
std::string add_generated_code(Backend& backend);

}  // namespace fpsynth::timing
