#pragma once
// What "best" means: fewest compressed bytes; over several data sets, the highest harmonic mean.

#include <cstdint>
#include <span>
#include <vector>

namespace fpsynth::results {

/// Original bytes / compressed bytes; 0 where nothing was compressed into nothing.
double ratio(std::uint64_t original_bytes, std::uint64_t compressed_bytes);

/// 0 for no ratios, and where one of them is 0.
double harmonic_mean(std::span<const double> ratios);

/// Ids by ascending payload, ties by id, without the failed ones. `failed` in any order; an id
/// beyond the payloads throws Error.
std::vector<std::uint64_t> rank(std::span<const std::uint64_t> payload_bytes,
                                std::span<const std::uint64_t> failed);

/// The first `count` ids by ascending cost, ties by id. An infinite cost marks an id that may not
/// be listed.
std::vector<std::uint64_t> lowest(std::span<const double> costs, std::size_t count);

}  // namespace fpsynth::results
