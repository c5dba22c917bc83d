#pragma once
// Verdicts on what the papers observe: each claim of results/reference/claims.json, which is
// embedded in the program, on the results of one or more searched spaces.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/papers/measurements.hpp"
#include "results/queries/table.hpp"

namespace fpsynth::results {

extern const std::string_view kClaims;

/// The results of searches of data sets in one space.
struct SearchedSpace {
  std::string name;
  Runs runs;
  std::vector<Measurement> measured = {};  ///< on the same data sets
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
