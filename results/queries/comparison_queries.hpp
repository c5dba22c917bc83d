#pragma once
// Queries that set results beside each other: double and single precision, MPC and the best
// pipeline for all data sets (section V.A of the MPC paper).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

/// Whether one pipeline is the best in both precisions: the pipelines with the highest harmonic
/// mean over the data sets of each precision, and over all of them, with their means and ranks.
std::vector<Table> common(const Runs& runs);
inline constexpr std::string_view kOverBoth = "best over both";

/// What `fpsynth compare` measured of MPC on a data set in one precision.
struct MeasuredMpc {
  DataSet data;  ///< name, bytes, xxh3 and precision alone
  std::uint64_t dimensionality = 1;
  bool known = false;  ///< from the data set's description; else the best of all for MPC
  double ratio = 0;
};

/// Those of a document of `fpsynth compare`. Throws Error if it is damaged or is another document.
std::vector<MeasuredMpc> measured_mpc(const std::filesystem::path& comparison);

/// MPC, whose first component has the data's dimensionality, against Best, the one pipeline with
/// the highest harmonic mean: on each data set that was searched and compared, by dimensionality;
/// and the means up to and above the largest n that the search could choose for LNV. Data sets with
/// other values than those searched are left out and named in a note.
std::vector<Table> dimensionality(const Runs& runs, const std::vector<MeasuredMpc>& measured);

}  // namespace fpsynth::results
