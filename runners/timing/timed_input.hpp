#pragma once
// Inputs that are larger than the cache, for timing small data sets.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth::timing {

/// Bytes of the last-level cache; 0 if the system does not report it.
std::uint64_t last_level_cache_bytes();

/// The number of bytes to time by default: four times the cache, at least 64 MiB.
std::uint64_t default_input_bytes(std::uint64_t cache_bytes);

/// The size of a TimedInput.
struct TimedSize {
  std::uint64_t bytes = 0, copies = 1;
};
/// The size of the TimedInput for `data_bytes` bytes of data. Throws what TimedInput throws.
TimedSize timed_size(std::uint64_t data_bytes, synth::Precision precision, std::uint64_t bytes);

/// The input of one timing: the data set itself, or copies of it.
class TimedInput {
 public:
  /// An input of at least `bytes` bytes. A data set that has fewer is repeated: its whole chunks,
  /// so that every chunk of the input is one of the data set; its whole words if it is shorter than
  /// a chunk. `data` must outlive this. Throws Error if it has no whole word.
  TimedInput(std::span<const std::byte> data, synth::Precision precision, std::uint64_t bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint64_t copies() const { return copies_; }

 private:
  std::vector<std::byte> storage_;
  std::span<const std::byte> bytes_;
  std::uint64_t copies_ = 1;
};

}  // namespace fpsynth::timing
