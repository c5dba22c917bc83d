#pragma once
// What is timed: pipelines behind one interface, whatever runs them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::throughput {

/// One run of one direction.
struct Lap {
  double seconds = 0;  ///< wall time, from host memory to host memory
  /// Of a GPU: the kernels alone, by its events, and the transfers alone.
  std::optional<double> kernel_seconds, transfer_seconds;
};

/// A compressor made for one pipeline in one precision, with all memory that it needs. Used by one
/// thread at a time; it may use more inside. Throws Error.
class TimedCodec {
 public:
  virtual ~TimedCodec() = default;
  /// Compresses `input`, keeps what comes out, and tells how long that took, without the making of
  /// memory where it was called before with an input of the same size.
  virtual Lap compress(std::span<const std::byte> input) = 0;
  /// Restores what was compressed last to `output`, which has the size of that input.
  virtual Lap decompress(std::span<std::byte> output) = 0;
  /// What was compressed last, in the host's memory: the bytes that `fpsynth compress` writes.
  virtual std::span<const std::byte> compressed() = 0;
};

/// One way to run pipelines on a backend.
struct Way {
  std::string how;      ///< "library" or "generated", as in throughput documents
  std::string version;  ///< of the library, or of what compiles
  std::uint64_t threads = 1;
  /// Makes a codec. Throws Error where this pipeline cannot be run this way.
  std::function<std::unique_ptr<TimedCodec>(const synth::Pipeline&, synth::Precision)> make;
};

/// A compressor of the papers on a backend.
struct TimedBaseline {
  std::string name, version;
  std::function<std::unique_ptr<TimedCodec>()> make;  ///< throws Error
};

/// Where pipelines run, and in which ways.
struct Backend {
  std::string name;               ///< "cpu" or "cuda"
  std::string device;             ///< the processor's or the GPU's name
  std::string instruction_set;    ///< the stage table's name on a CPU, the architecture of a GPU
  std::uint64_t threads = 1;      ///< of the CPU, at most
  std::uint64_t cache_bytes = 0;  ///< of the last level; 0: not known
  std::vector<Way> ways;
  /// The ceiling: copies the input, and back, on a number of threads.
  std::string copy_name;
  std::function<std::unique_ptr<TimedCodec>(std::uint64_t threads)> copy;
  /// Of a GPU: those that run there. `dimensionality`: values per point.
  std::function<std::vector<TimedBaseline>(synth::Precision, unsigned dimensionality)> baselines;
  std::vector<std::string> notes;  ///< what a reader of its figures must know
};

/// This machine's processors: the library's codec on one thread and, where there are more, on
/// `threads` (0: as many as OpenMP would use).
Backend cpu_backend(int threads = 0);

/// The GPU. Throws Error, which names the way out, where the program was built without CUDA or
/// finds no device.
Backend cuda_backend();

/// Adds kernels compiled at run time for each pipeline to the GPU's ways. Returns what the user
/// should know where it cannot: empty if all is well.
std::string add_generated_kernels(Backend& backend);

/// Copies in the host's memory on a number of threads.
std::unique_ptr<TimedCodec> memory_copy(std::uint64_t threads);

}  // namespace fpsynth::throughput
