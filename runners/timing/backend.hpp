#pragma once
// A backend on which pipelines are timed (the CPU or a GPU), and the variants of code that run
// them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runners/device/device_info.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::timing {

/// A way to run pipelines on a backend: the library or generated code, on a number of threads.
struct Variant {
  std::string how;      ///< "library" or "generated", as in throughput documents
  std::string version;  ///< of the library or the compiler
  std::uint64_t threads = 1;
  /// Creates a codec. Throws Error if this variant cannot run the pipeline.
  std::function<std::unique_ptr<TimedCodec>(const synth::Pipeline&, synth::Precision)> make;
};

/// A device that runs pipelines, and the variants that run them there.
struct Backend {
  std::string name;               ///< "cpu" or "cuda"
  std::string device;             ///< the processor's or the GPU's name
  std::string instruction_set;    ///< the stage table's name on a CPU, the architecture of a GPU
  std::uint64_t threads = 1;      ///< the most threads of the CPU
  std::uint64_t cache_bytes = 0;  ///< of the last-level cache; 0: unknown
  std::vector<Variant> variants;
  /// A copy of the input and back, on a number of threads: an upper bound of all throughputs.
  std::string copy_name;
  std::function<std::unique_ptr<TimedCodec>(std::uint64_t threads)> copy;
  std::vector<std::string> notes;         ///< for readers of its measurements
  std::optional<device::DeviceInfo> gpu;  ///< nullopt on a CPU
};

/// This machine's CPU: the library's codec on one thread and, if there are more, on `threads`
/// threads (0: as many as OpenMP would use).
Backend cpu_backend(int threads = 0);
/// Adds generated code to the CPU's variants, for the same numbers of threads as the library's.
/// Returns an empty string, or a message for the user if that is impossible.
std::string add_generated_code(Backend& backend);

/// The first usable GPU. Throws Error, with a remedy, if the program was built without CUDA or
/// finds no device.
Backend cuda_backend();

/// Adds kernels compiled at run time for each pipeline to the GPU's variants. Returns an empty
/// string, or a message for the user if that is impossible.
std::string add_generated_kernels(Backend& backend);

}  // namespace fpsynth::timing
