#pragma once
// The order of pipelines: the best has the fewest compressed bytes; over several data sets, the
// highest harmonic mean of the ratios.

#include <cstdint>
#include <span>
#include <vector>

namespace fpsynth::results {

/// Original bytes / compressed bytes; 0 if there are no compressed bytes.
double ratio(std::uint64_t original_bytes, std::uint64_t compressed_bytes);

/// 0 if there are no ratios or one of them is 0.
double harmonic_mean(std::span<const double> ratios);

/// Ids by ascending bytes, ties by id, without the failed ones. `failed` may be in any order.
/// Throws Error if it contains an id beyond the sizes.
std::vector<std::uint64_t> rank(std::span<const std::uint64_t> bytes,
                                std::span<const std::uint64_t> failed);

/// The first `count` ids by ascending cost, ties by id. Ids with an infinite cost are left out.
std::vector<std::uint64_t> lowest(std::span<const double> costs, std::size_t count);

}  // namespace fpsynth::results
