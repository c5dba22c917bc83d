#include "runners/cli/documents/settings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace fpsynth::cli {

unsigned tables_that_fit(const Sizes& sizes) {
  constexpr std::uint64_t kEntry = 16;  // bytes of tables an entry
  std::vector<std::uint64_t> sorted;
  for (const auto& [name, bytes] : sizes) sorted.push_back(bytes);
  std::ranges::sort(sorted);
  const std::uint64_t median = sorted.empty() ? 0 : sorted[(sorted.size() - 1) / 2];
  const int exponent = std::bit_width(median / kEntry) - 1;
  return unsigned(std::clamp(exponent, int(kSmallTables), int(kLargestTables)));
}

std::vector<unsigned> table_modes(unsigned largest) {
  constexpr unsigned kSteps = 6;
  std::set<unsigned> modes = {std::min(kLargeTables, largest)};
  for (unsigned step = 0; step <= kSteps; ++step) {
    modes.insert(kSmallTables +
                 unsigned(std::nearbyint(double(step * (largest - kSmallTables)) / kSteps)));
  }
  return {modes.begin(), modes.end()};
}

}  // namespace fpsynth::cli
