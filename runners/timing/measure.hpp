#pragma once
// The one harness of all throughputs: what a compressor does on one input is verified first, which
// also warms caches and memory up, and then timed. Output goes to buffers that are kept from
// repetition to repetition, so that no figure has the making of memory in it.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/baselines/compressor.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/error.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::timing {

/// A compressor that does not give its input back, which is worse than one that refuses it.
class RoundTripError : public Error {
 public:
  using Error::Error;
};

/// Repeated times of one direction.
struct Timing {
  results::Times times;  ///< of each repetition, in order
  double median = 0;     ///< wall seconds
  double spread = 0;     ///< of these, (longest - shortest) / median
  double gb_per_s = 0;   ///< 1e9 original bytes per second, at the median
};

/// Median, spread and throughput of times. Throws Error where there is none.
Timing timing_of(results::Times times, std::size_t original_bytes);

/// How much of a measurement there is.
struct Effort {
  int repetitions = 3;  ///< of each direction, 1 or more
  /// Of a repetition: as many runs as that takes, whose median is its time. For small inputs, of
  /// which the system's other work may take a multiple.
  double least_seconds = 0;
  /// Only so many first bytes are timed, whole words of 8 bytes; all where that is less. The ratio
  /// and the verified round trip are of all bytes.
  std::size_t timed_bytes = ~std::size_t{0};
};

struct Measurement {
  std::size_t original_bytes = 0;
  std::size_t compressed_bytes = 0;
  std::size_t timed_bytes = 0;  ///< of the original, in one run that was timed
  Timing compress, decompress;
  double ratio() const { return double(original_bytes) / double(compressed_bytes); }
};

/// What is being done: "verifying", "compressing 2/3", "decompressing 1/3".
using Progress = std::function<void(const std::string& doing)>;

/// Compresses, decompresses and compares with the input; then times each direction, from input
/// bytes in memory to a file's bytes in memory and back. `name` is for messages. Throws
/// RoundTripError where the round trip fails, and what the codec throws.
Measurement measure(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
                    const Effort& effort = {}, const Progress& progress = nullptr);

/// The same of a compressor.
Measurement measure(const baselines::Compressor& compressor, std::span<const std::byte> input,
                    synth::Precision precision, const Effort& effort = {},
                    const Progress& progress = nullptr);

}  // namespace fpsynth::timing
