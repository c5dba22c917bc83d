#pragma once
// What a compressor does on one input: verified first, then timed.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runners/baselines/compressor.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {

/// A compressor that does not give its input back, which is worse than one that refuses it.
class RoundTripError : public Error {
 public:
  using Error::Error;
};

/// Repeated times of one direction.
struct Timing {
  std::vector<double> seconds;  ///< of each repetition, in order
  double median = 0;            ///< seconds
  double spread = 0;            ///< (longest - shortest) / median
  double gb_per_s = 0;          ///< 1e9 original bytes per second, at the median
};

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

/// Median, spread and throughput of times. Throws Error where there is none.
Timing timing_of(std::vector<double> seconds, std::size_t original_bytes);

struct Measurement {
  std::string name, version;
  int threads = 1;
  synth::Precision precision = synth::Precision::Double;
  std::size_t original_bytes = 0;
  std::size_t compressed_bytes = 0;
  std::size_t timed_bytes = 0;  ///< of the original, in one run that was timed
  Timing compress, decompress;
  double ratio() const { return double(original_bytes) / double(compressed_bytes); }
};

/// What is being done: "verifying", "compressing 2/3", "decompressing 1/3".
using Progress = std::function<void(const std::string& doing)>;

/// Compresses, decompresses and compares with the input, which also warms caches and memory; then
/// times each direction, from input bytes in memory to a file's bytes in memory and back. Throws
/// RoundTripError where the round trip fails, and what compressing throws.
Measurement measure(const Compressor& compressor, std::span<const std::byte> input,
                    synth::Precision precision, const Effort& effort = {},
                    const Progress& progress = nullptr);

/// From now on, freed memory stays with the process. Else every result vector would be made of
/// fresh pages, and the fast compressors' times would be the kernel's.
void keep_freed_memory();

}  // namespace fpsynth::baselines
