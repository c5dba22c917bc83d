#pragma once
// The statistics of Table I of the MPC paper.

#include <cstddef>
#include <span>

#include "synth/common/precision.hpp"

namespace fpsynth::data {

/// Values are told apart by their bits: 0.0 and -0.0 differ, NaNs with equal bits are equal.
struct Statistics {
  std::size_t bytes = 0;          ///< size including the tail
  std::size_t values = 0;         ///< whole words
  std::size_t tail = 0;           ///< bytes after the last whole word
  std::size_t unique = 0;         ///< distinct values
  double unique_percent = 0;      ///< of the values
  double entropy_bits = 0;        ///< first order: bits per value
  double randomness_percent = 0;  ///< entropy / log2(unique); 0 for at most one value
};

/// Statistics of raw bytes as words of a precision. Sorts a copy: O(n log n) time, memory of the
/// size of the data.
Statistics statistics_of(std::span<const std::byte> bytes, synth::Precision precision);

}  // namespace fpsynth::data
