#pragma once
// Verdicts on what the papers observe: each claim of results/reference/claims.json, which is
// embedded in the program, on the results of one or more searched spaces.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/queries.hpp"
#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"

namespace fpsynth::results {

extern const std::string_view kClaims;

/// The ratio and the speed of a compressor on a data set, out of a comparison or a sweep.
struct Measurement {
  std::string compressor;  ///< as in the papers' tables; "sweep gfc" of a sweep
  std::string data_set;
  synth::Precision precision = synth::Precision::Double;
  std::uint64_t bytes = 0, timed_bytes = 0;
  std::uint64_t dimensionality = 0;  ///< where a comparison knows it
  std::uint64_t threads = 1, machine_threads = 1;
  std::uint64_t tables = 0;  ///< bytes, of pFPC
  std::uint64_t chunks = 0;  ///< GFC's number of them, or pFPC's values in each
  double ratio = 0;
  double compress = 0, decompress = 0;  ///< GB/s, of a GPU's kernels alone; 0: not known
  double compress_transfers = 0, decompress_transfers = 0;  ///< GB/s of a GPU's transfers alone
  bool gpu = false;                                         ///< measured on a GPU
};

/// Those of a document of `fpsynth compare`, or of the sweep of GFC, pFPC or Holt. Throws Error if
/// it is damaged or is another document.
std::vector<Measurement> measurements(const std::filesystem::path& file);
/// Those of a document of timings on a GPU; none of another one.
std::vector<Measurement> measurements(const ThroughputDocument& document);

/// The results of searches of data sets in one space.
struct SearchedSpace {
  std::string name;
  Runs runs;
  std::vector<MeasuredMpc> measured = {};  ///< MPC on the same data sets
  std::vector<Measurement> measurements = {};
};

/// Two tables: the verdict on each claim in each space, beside that on the pipelines of the paper's
/// own tables by the same rules; and the numbers behind each verdict. Real data sets are at least
/// kLeastDataSets, or nothing that is claimed of most can be told. Notes say which verdicts turn on
/// RLE, and what else may be the cause.
std::vector<Table> claims(const std::vector<SearchedSpace>& spaces);
inline constexpr std::size_t kLeastDataSets = 3;

inline constexpr std::string_view kHolds = "holds", kInPart = "holds in part",
                                  kNot = "does not hold", kCannot = "cannot be tested here",
                                  kNotMeasured = "not measured";

}  // namespace fpsynth::results
