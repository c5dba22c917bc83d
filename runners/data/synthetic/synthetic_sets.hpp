#pragma once
// The 13 synthetic data sets of the mini study: outputs of small real computations, in the families
// of the papers' sets. They need no download and are the same to the bit on every machine.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "runners/data/input.hpp"

namespace fpsynth::data {

struct SyntheticSet {
  std::string_view name;         ///< "msg_heat"
  std::string_view kind;         ///< "msg", "num" or "obs"
  std::string_view description;  ///< one line
  unsigned dimensionality;       ///< values per point; 1 if not interleaved
  std::vector<double> (*make)(std::size_t values);
};

/// Default size of a synthetic set in bytes.
inline constexpr std::size_t kSyntheticBytes = std::size_t{128} << 10;
/// Largest size; a set is generated in memory.
inline constexpr std::size_t kMaxSyntheticBytes = std::size_t{8} << 30;

/// All sets, sorted by name within msg, num, obs.
std::span<const SyntheticSet> synthetic_sets();

/// The set of a name. Throws UsageError, which lists the names, if there is none.
const SyntheticSet& synthetic_set(std::string_view name);

/// Generates a set of `bytes` bytes of doubles in memory. A smaller set is a prefix of a bigger
/// one. Throws UsageError unless bytes is a multiple of 8 in 8..kMaxSyntheticBytes.
Input make_input(const SyntheticSet& set, std::size_t bytes = kSyntheticBytes);

}  // namespace fpsynth::data
