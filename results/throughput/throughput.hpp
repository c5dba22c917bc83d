#pragma once
// How fast compressors are on one data set in one precision on one device: what was timed, and a
// model that predicts what was not.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/data_set.hpp"
#include "results/throughput/throughput_model.hpp"

namespace fpsynth::results {

/// On what and over what was timed.
struct ThroughputRun {
  std::string program_version;
  std::string commit;
  std::string compiler;
  std::string backend;          ///< "cpu" or "cuda"
  std::string device;           ///< the processor's or the GPU's name
  std::string instruction_set;  ///< the stage table on a CPU ("avx512"), the architecture of a GPU
  std::uint64_t threads = 1;    ///< of the CPU; the most that a row may use
  std::uint64_t repetitions = 1;
  /// Original bytes of one timing of a pipeline: the data set, or its whole chunks repeated until
  /// they are several times the cache.
  std::uint64_t input_bytes = 0;
  std::uint64_t copies = 1;       ///< how often the data set stands in these; 1: not repeated
  std::uint64_t cache_bytes = 0;  ///< of the last level; 0: not known
  friend bool operator==(const ThroughputRun&, const ThroughputRun&) = default;
};

/// Repeated times of one direction, in order.
struct Times {
  /// Wall seconds, from memory of the host to memory of the host: on a GPU with both transfers.
  std::vector<double> seconds;
  /// Of the kernels alone and of the transfers alone, by events of the GPU; empty on a CPU, else as
  /// many as `seconds`.
  std::vector<double> kernel_seconds, transfer_seconds;
  friend bool operator==(const Times&, const Times&) = default;
};

/// One compressor, with a number of threads, in one way.
struct ThroughputRow {
  std::string name;      ///< a pipeline's text, or "GFC", "zstd -3", "memcpy"
  std::string kind;      ///< "pipeline", "baseline", "peer" or "copy"
  std::string pipeline;  ///< of pipelines and of baselines that are one; else empty
  std::string how;       ///< "library", "generated" or "predicted"
  std::string version;   ///< of the library, or of what compiled the generated code
  std::uint64_t threads = 1;
  std::uint64_t input_bytes = 0;       ///< original bytes of one timing
  std::uint64_t compressed_bytes = 0;  ///< of the data set, once: the file that is written
  Times compress, decompress;
  friend bool operator==(const ThroughputRow&, const ThroughputRow&) = default;
};

struct ThroughputDocument {
  DataSet data;
  ThroughputRun run;
  std::vector<ThroughputRow> rows;
  std::optional<CostModel> model;
  std::optional<Predictions> predictions;  ///< only with a model
  std::vector<std::string> notes;
  double ratio(const ThroughputRow& row) const;
  friend bool operator==(const ThroughputDocument&, const ThroughputDocument&) = default;
};

/// Of one or more values: the middle one, or the mean of the two in the middle.
double median(std::vector<double> values);
/// (longest - shortest) / median; 0 where the median is.
double spread(const std::vector<double>& seconds);
/// 1e9 bytes per second at the median; 0 where the clock saw nothing, and for no times.
double gb_per_s(const std::vector<double>& seconds, std::uint64_t bytes);

/// Throws Error naming the first field that contradicts itself or another.
void validate(const ThroughputDocument& document);

}  // namespace fpsynth::results
