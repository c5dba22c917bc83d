#pragma once

#include <cstdint>

namespace fpsynth::components {

/// The result of a stage: how long its output block is, in words of the stage's word size.
/// `values` is the number of value words in an RLE block; every other component leaves it 0.
struct Extent {
  std::uint32_t words = 0;
  std::uint32_t values = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

}  // namespace fpsynth::components
