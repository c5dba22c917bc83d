#pragma once
// The places where the statistics of an input's words change, as where one variable of a file ends
// and another begins.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runners/data/input.hpp"

namespace fpsynth::search {

struct CutOptions {
  std::size_t sections = 8;              ///< the most that are wanted
  std::uint64_t shortest = 1 << 16;      ///< words of a section, at least
  double bits_a_word = 0.05;             ///< that a cut saves at least
  std::uint64_t sample_words = 1 << 22;  ///< so many are looked at, taken from all of the input
};

/// The cuts between sections whose words differ in their leading bits, in how far neighbours are
/// apart, or in their trailing zeros, each as the number of words before it; none where all of the
/// input is alike, or too short. Ordered by rank: the first one divides the input best, and each
/// other one the section that it is in. The answer does not depend on the machine.
std::vector<std::uint64_t> find_cuts(const data::Input& input, const CutOptions& options = {});

}  // namespace fpsynth::search
