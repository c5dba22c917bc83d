#include "results/documents/ranking.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "synth/common/error.hpp"

namespace fpsynth::results {

double ratio(std::uint64_t original_bytes, std::uint64_t compressed_bytes) {
  return compressed_bytes == 0
             ? 0.0
             : static_cast<double>(original_bytes) / static_cast<double>(compressed_bytes);
}

double harmonic_mean(std::span<const double> ratios) {
  double sum = 0;
  for (const double value : ratios) {
    if (value <= 0) return 0;
    sum += 1 / value;
  }
  return ratios.empty() ? 0 : static_cast<double>(ratios.size()) / sum;
}

std::vector<std::uint64_t> rank(std::span<const std::uint64_t> bytes,
                                std::span<const std::uint64_t> failed) {
  std::vector<bool> excluded(bytes.size());
  for (const std::uint64_t id : failed) {
    if (id >= bytes.size()) {
      throw Error(fmt::format("failed pipeline {} is not in the space, which has {} pipelines", id,
                              bytes.size()));
    }
    excluded[id] = true;
  }
  std::vector<std::uint64_t> ids;
  ids.reserve(bytes.size());
  for (std::uint64_t id = 0; id < bytes.size(); ++id) {
    if (!excluded[id]) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](std::uint64_t a, std::uint64_t b) {
    return std::tie(bytes[a], a) < std::tie(bytes[b], b);
  });
  return ids;
}

std::vector<std::uint64_t> lowest(std::span<const double> costs, std::size_t count) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 0; id < costs.size(); ++id) {
    if (std::isfinite(costs[id])) ids.push_back(id);
  }
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  std::partial_sort(ids.begin(), middle, ids.end(), [&](std::uint64_t a, std::uint64_t b) {
    return std::tie(costs[a], a) < std::tie(costs[b], b);
  });
  ids.erase(middle, ids.end());
  return ids;
}

}  // namespace fpsynth::results
