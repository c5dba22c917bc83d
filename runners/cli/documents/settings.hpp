#pragma once
// The settings of measurements for a report, which depend on the sizes of a study's data.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fpsynth::cli {

/// Bytes by data set.
using Sizes = std::map<std::string, std::uint64_t>;

/// Exponents of pFPC's table sizes: the two of its paper, 8 KiB and 2 MiB, and the largest of its
/// "progressively slower but better compressing modes" (GFC paper, Figure 5).
inline constexpr unsigned kSmallTables = 9, kLargeTables = 17, kLargestTables = 19;

/// The largest exponent of tables that at least half of the data sets are as large as.
unsigned tables_that_fit(const Sizes& sizes);

/// Seven exponents or fewer from the smallest to the largest tables, the paper's among them.
std::vector<unsigned> table_modes(unsigned largest);

}  // namespace fpsynth::cli
