#pragma once
// Data for the tests of timings.

#include <cstddef>
#include <vector>

#include "tests/support/blocks.hpp"

namespace fpsynth::timing {

constexpr std::size_t kChunk = 8192;  ///< bytes

inline std::vector<std::byte> smooth(std::size_t bytes) {
  return testing::make_block(testing::Content::Smooth, 8, bytes / 8);
}

}  // namespace fpsynth::timing
