#pragma once
// Device code compiled at run time by NVRTC, the compiler library of the CUDA Toolkit. It is loaded
// on first use, so that the program runs without it; it needs no GPU.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "synth/pipeline.hpp"

namespace fpsynth::timing {

/// A translation unit of device code.
struct DeviceSource {
  std::string name = "kernels.cu";  ///< in the compiler's messages
  std::string text;
  struct Header {
    std::string name;  ///< as in #include
    std::string text;
  };
  std::vector<Header> headers;
  std::vector<std::string> options;  ///< "-std=c++20", "-DLANES=256"; not the architecture
};

/// The folders of CUDA Toolkits, best first: CUDA_HOME, CUDA_PATH, /usr/local/cuda. Libraries and
/// headers are looked for in this order before anything of the system, so that they are of one
/// version.
std::vector<std::filesystem::path> cuda_folders();

/// Throws Error for the version of an NVRTC that cannot compile the kernels.
void refuse_old_nvrtc(int major, int minor);

/// The loaded library. Thread-safe to the extent that NVRTC is: for different sources.
class Nvrtc {
 public:
  /// The names that load() tries: in cuda_folders(), then the system's.
  static std::vector<std::string> library_names();
  /// Throws Error, which says what to install, if none of the names can be loaded or the library
  /// is too old.
  static Nvrtc load(std::span<const std::string> names);
  static Nvrtc load() { return load(library_names()); }

  /// "13.0".
  const std::string& version() const { return version_; }
  /// The supported architectures: "sm_80", "sm_90".
  std::vector<std::string> architectures() const;
  /// Machine code for an architecture. Throws Error with the compiler's output if the source has
  /// errors, and for an architecture that NVRTC does not support.
  std::vector<std::byte> compile(const DeviceSource& source, const std::string& architecture) const;

 private:
  struct Functions;
  explicit Nvrtc(std::shared_ptr<const Functions> functions);
  std::shared_ptr<const Functions> functions_;
  std::string version_;
};

/// Folders that may have a CUDA Toolkit's headers: in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
std::vector<std::filesystem::path> cuda_header_folders();

/// The first of the folders that has libcu++'s headers, which generated kernels include. Throws
/// Error, which says what to install, if none has them.
std::filesystem::path libcudacxx_folder(std::span<const std::filesystem::path> folders);

/// The kernels of a pipeline on words of `word_bytes` bytes (synth::generate_kernels). NVRTC has no
/// standard library, so its headers are replaced by those of libcu++ in folder `libcudacxx`.
DeviceSource kernel_source(const synth::Pipeline& pipeline, std::size_t word_bytes,
                           const std::filesystem::path& libcudacxx);

}  // namespace fpsynth::timing
