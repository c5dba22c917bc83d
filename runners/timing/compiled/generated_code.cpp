// Generated codecs on this machine: source code for a single pipeline, compiled by the system's
// compiler on first use, and loaded.

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runners/timing/backend.hpp"
#include "runners/timing/compiled/compiler.hpp"
#include "synth/common/raise.hpp"
#include "synth/generator/project.hpp"

namespace fpsynth::timing {
namespace {

constexpr const char* kName = "generated";
const std::vector<std::string> kFlags = {"-std=c++20", "-O3",     "-march=native",
                                         "-fPIC",      "-shared", "-fopenmp"};

/// The functions that kEntryPoints defines. *size: the capacity, then the length, in bytes. 0:
/// success.
using Bound = std::size_t (*)(std::size_t bytes);
using Convert = int (*)(const std::byte* in, std::size_t bytes, std::byte* out, std::size_t* size,
                        int threads);
using Describe = const char* (*)(int status);

constexpr std::string_view kEntryPoints = R"(
extern "C" std::size_t fpsynth_bound(std::size_t bytes) { return generated::Codec::bound(bytes); }
extern "C" int fpsynth_compress(const std::byte* in, std::size_t bytes, std::byte* out,
                                std::size_t* size, int threads) {
  return int(generated::Codec::compress(in, bytes, out, *size, *size, threads));
}
extern "C" int fpsynth_decompress(const std::byte* in, std::size_t bytes, std::byte* out,
                                  std::size_t* size, int threads) {
  return int(generated::Codec::decompress(in, bytes, out, *size, *size, threads));
}
extern "C" const char* fpsynth_describe(int status) {
  return generated::describe(generated::Status(status));
}
)";

std::string source_of(const synth::Pipeline& pipeline, synth::Precision precision) {
  synth::ProjectRequest request;
  request.method.pipeline = pipeline;
  request.word_bytes = synth::word_bytes(precision);
  request.name = kName;
  return synth::generate_header(request).append(kEntryPoints);
}

/// The entry points of a loaded codec. It is never unloaded, because OpenMP's threads may still use
/// it.
struct Functions {
  explicit Functions(const std::string& library) {
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) raise("cannot load generated code: {}", ::dlerror());
    const auto find = [&]<class Function>(Function& function, const char* name) {
      function = reinterpret_cast<Function>(::dlsym(handle, name));
      if (!function) raise("generated code has no {}", name);
    };
    find(bound, "fpsynth_bound");
    find(compress, "fpsynth_compress");
    find(decompress, "fpsynth_decompress");
    find(describe, "fpsynth_describe");
  }

  Bound bound = nullptr;
  Convert compress = nullptr, decompress = nullptr;
  Describe describe = nullptr;
};

class GeneratedCodec : public TimedCodec {
 public:
  GeneratedCodec(const Functions& functions, std::uint64_t threads)
      : functions_(functions), threads_(static_cast<int>(threads)) {}

  Lap compress(std::span<const std::byte> input) override {
    file_.resize(functions_.bound(input.size()));
    written_ = file_.size();
    return timed(functions_.compress, input, file_.data(), written_);
  }

  Lap decompress(std::span<std::byte> output) override {
    std::size_t size = output.size();
    return timed(functions_.decompress, compressed(), output.data(), size);
  }

  std::span<const std::byte> compressed() override { return std::span(file_).first(written_); }

 private:
  Lap timed(Convert convert, std::span<const std::byte> in, std::byte* out, std::size_t& size) {
    int status = 0;
    const double seconds =
        wall_seconds([&] { status = convert(in.data(), in.size(), out, &size, threads_); });
    if (status != 0) raise("generated code: {}", functions_.describe(status));
    return {seconds};
  }

  Functions functions_;
  int threads_;
  std::vector<std::byte> file_;  ///< has the capacity for the largest output
  std::size_t written_ = 0;
};

/// The compiler named by the environment variable CXX, or else the first of c++, g++ and clang++
/// that runs. Throws Error with a remedy if the one in CXX does not run, or if none is found.
Compiler find_compiler() {
  if (const char* named = std::getenv("CXX"); named && *named) {
    if (auto compiler = Compiler::of(named)) return *compiler;
    raise("CXX names '{}', which does not run; set it to a C++ compiler", named);
  }
  for (const char* command : {"c++", "g++", "clang++"}) {
    if (auto compiler = Compiler::of(command)) return *compiler;
  }
  throw Error("no C++ compiler was found; install g++, or name one in CXX");
}

/// Compiles codecs for this machine's processor, with all its instructions, each once.
struct CodeLoader {
  Compiler compiler;
  std::map<std::string, Functions> loaded = {};  ///< by source

  /// The codec of a pipeline. Throws Error with the beginning of the compiler's output if it cannot
  /// be compiled, and if it cannot be loaded.
  std::unique_ptr<TimedCodec> load(const synth::Pipeline& pipeline, synth::Precision precision,
                                   std::uint64_t threads) {
    const std::string source = source_of(pipeline, precision);
    auto found = loaded.find(source);
    if (found == loaded.end()) {
      compiler.compile(source, "codec.cpp", kFlags, "C++20, OpenMP and the header xxhash.h",
                       [&](const std::string& library) {
                         found = loaded.emplace(source, Functions(library)).first;
                       });
    }
    return std::make_unique<GeneratedCodec>(found->second, threads);
  }
};

}  // namespace

std::string add_generated_code(Backend& backend) {
  std::shared_ptr<CodeLoader> loader;
  try {
    loader = std::make_shared<CodeLoader>(CodeLoader{find_compiler()});
  } catch (const Error& error) {
    return fmt::format("no generated code: {} (--no-generated suppresses this message)",
                       error.what());
  }
  const std::vector<Variant> library = backend.variants;
  for (const Variant& variant : library) {
    backend.variants.push_back(
        {.how = "generated",
         .version = loader->compiler.version,
         .threads = variant.threads,
         .make = [loader, threads = variant.threads](const synth::Pipeline& pipeline,
                                                     synth::Precision precision) {
           return loader->load(pipeline, precision, threads);
         }});
  }
  return {};
}

}  // namespace fpsynth::timing
