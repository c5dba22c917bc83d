#pragma once
// Device code compiled at run time by NVRTC, the compiler library of the CUDA Toolkit. It is loaded
// when it is first needed, so that the program runs without it; it needs no GPU.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/timing/compiled/file_cache.hpp"

namespace fpsynth::timing {

/// A translation unit of device code.
struct DeviceSource {
  std::string name = "kernels.cu";  ///< in messages of the compiler
  std::string text;
  struct Header {
    std::string name;  ///< as #include names it
    std::string text;
  };
  std::vector<Header> headers;
  std::vector<std::string> options;  ///< "-std=c++20", "-DLANES=256"; not the architecture
};

/// The loaded library. Thread safe as far as NVRTC is, which is for different sources.
class Nvrtc {
 public:
  /// The names that load() tries, those of a CUDA Toolkit in CUDA_HOME or /usr/local/cuda among
  /// them.
  static std::vector<std::string> library_names();
  /// Throws Error, which says what to install, where none of the names can be loaded.
  static Nvrtc load(std::span<const std::string> names);
  static Nvrtc load() { return load(library_names()); }

  /// "13.0".
  const std::string& version() const { return version_; }
  /// The architectures that it compiles for: "sm_80", "sm_90".
  std::vector<std::string> architectures() const;
  /// Machine code for an architecture. Throws Error with the compiler's words where the source has
  /// errors, and for an architecture that NVRTC does not know.
  std::vector<std::byte> compile(const DeviceSource& source, const std::string& architecture) const;

 private:
  struct Functions;
  explicit Nvrtc(std::shared_ptr<const Functions> functions);
  std::shared_ptr<const Functions> functions_;
  std::string version_;
};

/// NVRTC with a cache on the disk, by content of the source, its headers, options, the architecture
/// and NVRTC's version.
class CubinCompiler {
 public:
  CubinCompiler(Nvrtc nvrtc, FileCache cache);
  /// NVRTC's.
  const std::string& version() const { return nvrtc_.version(); }

  struct Cubin {
    std::vector<std::byte> bytes;
    bool cached = false;  ///< it was on the disk, whole
  };
  /// Throws what Nvrtc::compile() and FileCache throw.
  Cubin compile(const DeviceSource& source, const std::string& architecture) const;
  /// The name of the file in the cache, without its ending .cubin.
  std::string key(const DeviceSource& source, const std::string& architecture) const;

 private:
  Nvrtc nvrtc_;
  FileCache cache_;
};

}  // namespace fpsynth::timing
