#include "runners/timing/compiled/nvrtc.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "synth/common/error.hpp"
#include "synth/generator/project.hpp"

namespace fpsynth::timing {
namespace {

/// Declared as in nvrtc.h; stable since CUDA 11.2.
using Program = void*;
using Result = int;
constexpr Result kSuccess = 0, kCompilationFailed = 6;

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

struct Nvrtc::Functions {
  Result (*version)(int* major, int* minor);
  const char* (*error_text)(Result);
  Result (*count_architectures)(int* count);
  Result (*architectures)(int* numbers);
  Result (*create)(Program*, const char* text, const char* name, int headers,
                   const char* const* header_texts, const char* const* header_names);
  Result (*destroy)(Program*);
  Result (*compile)(Program, int options, const char* const* texts);
  Result (*log_size)(Program, std::size_t*);
  Result (*log)(Program, char*);
  Result (*cubin_size)(Program, std::size_t*);
  Result (*cubin)(Program, char*);

  void check(Result result, const char* doing) const {
    if (result == kSuccess) return;
    throw Error(fmt::format("NVRTC cannot {}: {}", doing, error_text(result)));
  }
};

std::vector<std::filesystem::path> cuda_folders() {
  std::vector<std::filesystem::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home && *home) folders.emplace_back(home);
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

std::vector<std::string> Nvrtc::library_names() {
  std::vector<std::string> names;
  for (const auto& folder : cuda_folders()) {
    for (const char* name : {"lib64", "lib"}) names.push_back(folder / name / "libnvrtc.so");
  }
  for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}) {
    names.emplace_back(name);
  }
  return names;
}

void refuse_old_nvrtc(int major, int minor) {
  if (major >= 12) return;
  throw Error(fmt::format(
      "NVRTC {}.{} does not know C++20, in which kernels are written; install that of CUDA "
      "12 or later, or name the toolkit's folder in CUDA_HOME",
      major, minor));
}

Nvrtc::Nvrtc(std::shared_ptr<const Functions> functions) : functions_(std::move(functions)) {
  int major = 0, minor = 0;
  functions_->check(functions_->version(&major, &minor), "report its version");
  refuse_old_nvrtc(major, minor);
  version_ = fmt::format("{}.{}", major, minor);
}

Nvrtc Nvrtc::load(std::span<const std::string> names) {
  // The library is never unloaded, because compilers do not support that reliably.
  void* handle = nullptr;
  for (const std::string& name : names) {
    if ((handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
  }
  if (!handle) {
    throw Error(
        fmt::format("device code needs the compiler NVRTC, which was not found ({}); install the "
                    "CUDA Toolkit's cuda-nvrtc package, or name the toolkit's folder in CUDA_HOME",
                    fmt::join(names, ", ")));
  }
  auto functions = std::make_shared<Functions>();
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (!function) {
      throw Error(fmt::format("this NVRTC has no {}; install NVRTC of CUDA 12 or later", name));
    }
  };
  find(functions->version, "nvrtcVersion");
  find(functions->error_text, "nvrtcGetErrorString");
  find(functions->count_architectures, "nvrtcGetNumSupportedArchs");
  find(functions->architectures, "nvrtcGetSupportedArchs");
  find(functions->create, "nvrtcCreateProgram");
  find(functions->destroy, "nvrtcDestroyProgram");
  find(functions->compile, "nvrtcCompileProgram");
  find(functions->log_size, "nvrtcGetProgramLogSize");
  find(functions->log, "nvrtcGetProgramLog");
  find(functions->cubin_size, "nvrtcGetCUBINSize");
  find(functions->cubin, "nvrtcGetCUBIN");
  return Nvrtc(std::move(functions));
}

std::vector<std::string> Nvrtc::architectures() const {
  int count = 0;
  functions_->check(functions_->count_architectures(&count), "count its architectures");
  std::vector<int> numbers(static_cast<std::size_t>(count));
  functions_->check(functions_->architectures(numbers.data()), "list its architectures");
  std::vector<std::string> names;
  for (const int number : numbers) names.push_back(fmt::format("sm_{}", number));
  return names;
}

std::vector<std::byte> Nvrtc::compile(const DeviceSource& source,
                                      const std::string& architecture) const {
  const Functions& nvrtc = *functions_;
  const auto known = architectures();
  if (std::ranges::find(known, architecture) == known.end()) {
    throw Error(fmt::format("NVRTC {} does not compile for {}; it supports {}", version_,
                            architecture, fmt::join(known, ", ")));
  }
  std::vector<const char*> texts, names, options;
  for (const auto& header : source.headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  const std::string target = "--gpu-architecture=" + architecture;
  options.push_back(target.c_str());
  for (const std::string& option : source.options) options.push_back(option.c_str());

  Program program = nullptr;
  nvrtc.check(nvrtc.create(&program, source.text.c_str(), source.name.c_str(),
                           static_cast<int>(texts.size()), texts.data(), names.data()),
              "load the source");
  const auto destroy = [&](Program* held) { nvrtc.destroy(held); };
  const std::unique_ptr<Program, decltype(destroy)> owner(&program, destroy);
  const Result result = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  if (result == kCompilationFailed) {
    std::size_t size = 0;
    nvrtc.check(nvrtc.log_size(program, &size), "report what is wrong");
    std::string log(size, '\0');
    nvrtc.check(nvrtc.log(program, log.data()), "report what is wrong");
    log.resize(std::min(log.find('\0'), log.size()));
    throw Error(fmt::format("NVRTC {} does not compile {} for {}:\n{}", version_, source.name,
                            architecture, log));
  }
  nvrtc.check(result, "compile the source");
  std::size_t size = 0;
  nvrtc.check(nvrtc.cubin_size(program, &size), "report the length of the code");
  std::vector<std::byte> bytes(size);
  nvrtc.check(nvrtc.cubin(program, reinterpret_cast<char*>(bytes.data())), "return the code");
  return bytes;
}

std::vector<std::filesystem::path> cuda_header_folders() {
  std::vector<std::filesystem::path> folders;
  for (const std::filesystem::path& toolkit : cuda_folders()) {
    // CUDA 13 has libcu++ in a separate folder.
    folders.push_back(toolkit / "include" / "cccl");
    folders.push_back(toolkit / "include");
  }
  return folders;
}

std::filesystem::path libcudacxx_folder(std::span<const std::filesystem::path> folders) {
  std::string tried;
  for (const std::filesystem::path& folder : folders) {
    std::error_code error;
    if (std::filesystem::exists(folder / "cuda" / "atomic", error)) return folder;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  throw Error(fmt::format(
      "generated kernels need the headers of libcu++, but <cuda/atomic> is in none of "
      "{}; install the CUDA Toolkit's cuda-cccl package, or name the toolkit's folder in CUDA_HOME",
      tried));
}

DeviceSource kernel_source(const synth::Pipeline& pipeline, std::size_t word_bytes,
                           const std::filesystem::path& libcudacxx) {
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
