#pragma once
// Measurements of comparisons, sweeps and timings on GPUs, for the queries that read them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::results {

/// The ratio and the speed of a compressor on a data set, out of a comparison or a sweep.
struct Measurement {
  std::string compressor;  ///< as in the papers' tables; "sweep gfc" of a sweep
  std::string data_set;
  synth::Precision precision = synth::Precision::Double;
  std::string xxh3 = {};      ///< of its bytes, where a comparison has it
  std::string pipeline = {};  ///< of "best searched"
  std::uint64_t bytes = 0, timed_bytes = 0;
  std::uint64_t dimensionality = 0;    ///< that a comparison took for MPC
  std::string dimensionality_is = {};  ///< how it was found, as in the document
  std::uint64_t threads = 1, machine_threads = 1;
  std::uint64_t tables = 0;  ///< bytes, of pFPC
  std::uint64_t chunks = 0;  ///< GFC's number of them, or pFPC's values in each
  double ratio = 0;
  double compress = 0, decompress = 0;  ///< GB/s, of a GPU's kernels alone; 0: not known
  double compress_transfers = 0, decompress_transfers = 0;  ///< GB/s of a GPU's transfers alone
  bool gpu = false;                                         ///< measured on a GPU
};

/// True of what is neither a guess nor the best of all for MPC.
inline bool is_known(std::string_view dimensionality_is) {
  return dimensionality_is.starts_with("known");
}

/// Those of a document of `fpsynth compare`, or of the sweep of GFC, pFPC or Holt. Throws Error if
/// it is damaged or is another document.
std::vector<Measurement> measurements(const std::filesystem::path& file);
/// Those of a document of timings on a GPU; none of another one.
std::vector<Measurement> measurements(const ThroughputDocument& document);

}  // namespace fpsynth::results
