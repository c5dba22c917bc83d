#pragma once
// The harness that measures all throughputs. A compressor's round trip on the input is verified
// first, which also warms up caches and memory, and then timed. Output goes to buffers that are
// kept from repetition to repetition, so that no time includes memory allocation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/timing/compressor.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::timing {

/// A compressor does not restore its input, which is worse than refusing it.
class RoundTripError : public Error {
 public:
  using Error::Error;
};

/// The effort that a measurement takes.
struct Effort {
  int repetitions = 3;  ///< of each direction, 1 or more
  /// Least duration of a repetition. It consists of as many runs as that takes, and its time is
  /// their median. For small inputs, whose single runs the system's other work may delay several
  /// times over.
  double least_seconds = 0;
  /// Only the first `timed_bytes` bytes are timed, in whole words of 8 bytes; all if the input has
  /// fewer. The ratio and the verified round trip are always of all bytes.
  std::size_t timed_bytes = ~std::size_t{0};
};

/// Receives the current step: "verifying", "compressing 2/3", "decompressing 1/3".
using Progress = std::function<void(const std::string& doing)>;

/// Compresses, decompresses and compares with the input; then times each direction, from input
/// bytes in memory to a file's bytes in memory and back. Returns a row with the name, sizes and
/// times. Throws RoundTripError if the round trip fails, and what the codec throws.
results::ThroughputRow measure(TimedCodec& codec, const std::string& name,
                               std::span<const std::byte> input, const Effort& effort = {},
                               const Progress& progress = nullptr);

/// The same for a compressor, with its version and threads.
results::ThroughputRow measure(const Compressor& compressor, std::span<const std::byte> input,
                               synth::Precision precision, const Effort& effort = {},
                               const Progress& progress = nullptr);

// Inputs that are larger than the cache, for timing small data sets.

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
