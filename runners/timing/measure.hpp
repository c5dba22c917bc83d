#pragma once
// The harness that measures all throughputs. A compressor's round trip on the input is verified
// first, which also warms up caches and memory, and then timed. Output goes to buffers that are
// kept from repetition to repetition, so that no time includes memory allocation.

#include <cstddef>
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

/// Repeated times of one direction.
struct Timing {
  results::Times times;  ///< of each repetition, in order
  double median = 0;     ///< wall seconds
  /// (longest - shortest) / median of the wall seconds; one repetition has none.
  std::optional<double> spread;
  double gb_per_s = 0;  ///< 1e9 original bytes per second, at the median
};

/// Median, spread and throughput of times. Throws Error if there are none.
Timing timing_of(results::Times times, std::size_t original_bytes);

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

struct Measurement {
  std::size_t original_bytes = 0;
  std::size_t compressed_bytes = 0;
  std::size_t timed_bytes = 0;  ///< original bytes in one timed run
  Timing compress, decompress;
  double ratio() const { return double(original_bytes) / double(compressed_bytes); }
};

/// Receives the current step: "verifying", "compressing 2/3", "decompressing 1/3".
using Progress = std::function<void(const std::string& doing)>;

/// Compresses, decompresses and compares with the input; then times each direction, from input
/// bytes in memory to a file's bytes in memory and back. `name` is used in messages. Throws
/// RoundTripError if the round trip fails, and what the codec throws.
Measurement measure(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
                    const Effort& effort = {}, const Progress& progress = nullptr);

/// The same for a compressor.
Measurement measure(const Compressor& compressor, std::span<const std::byte> input,
                    synth::Precision precision, const Effort& effort = {},
                    const Progress& progress = nullptr);

}  // namespace fpsynth::timing
