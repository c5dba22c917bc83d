#pragma once
// Where pipelines are timed: the processors or a GPU, and what runs pipelines there.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runners/timing/timed_codec.hpp"
#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::timing {

/// What runs pipelines on a backend: the library or generated code, on a number of threads.
struct Variant {
  std::string how;      ///< "library" or "generated", as in throughput documents
  std::string version;  ///< of the library, or of what compiles
  std::uint64_t threads = 1;
  /// Makes a codec. Throws Error where this variant cannot run the pipeline.
  std::function<std::unique_ptr<TimedCodec>(const synth::Pipeline&, synth::Precision)> make;
};

/// A compressor of the papers on a backend.
struct TimedBaseline {
  std::string name, version;
  std::function<std::unique_ptr<TimedCodec>()> make;  ///< throws Error
};

/// Where pipelines run, and what runs them.
struct Backend {
  std::string name;               ///< "cpu" or "cuda"
  std::string device;             ///< the processor's or the GPU's name
  std::string instruction_set;    ///< the stage table's name on a CPU, the architecture of a GPU
  std::uint64_t threads = 1;      ///< of the CPU, at most
  std::uint64_t cache_bytes = 0;  ///< of the last level; 0: not known
  std::vector<Variant> variants;
  /// The ceiling: copies the input, and back, on a number of threads.
  std::string copy_name;
  std::function<std::unique_ptr<TimedCodec>(std::uint64_t threads)> copy;
  /// Of a GPU: those that run there. `dimensionality`: values per point.
  std::function<std::vector<TimedBaseline>(synth::Precision, unsigned dimensionality)> baselines;
  std::vector<std::string> notes;  ///< what a reader of its figures must know
};

}  // namespace fpsynth::timing
