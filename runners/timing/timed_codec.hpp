#pragma once
// The interface that the harness (measure.hpp) times: a compressor that keeps its memory, on any
// backend.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "synth/common/clock.hpp"

namespace fpsynth::codec {
class DeviceCodec;
}

namespace fpsynth::timing {

/// One run of one direction.
struct Lap {
  double seconds = 0;  ///< wall time, from host memory to host memory
  /// On a GPU: time of the kernels alone, by its events, and of the transfers alone.
  std::optional<double> kernel_seconds = std::nullopt, transfer_seconds = std::nullopt;
};

/// Wall time of work() in seconds.
template <class Work>
double wall_seconds(const Work& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

/// A compressor in one precision with all memory that it needs. Used by one thread at a time, but
/// may use several threads itself. Throws Error.
class TimedCodec {
 public:
  virtual ~TimedCodec() = default;
  /// Compresses `input`, keeps the output, and returns how long that took. Reuses the memory of the
  /// previous call, so that an input of the same size causes no allocation.
  virtual Lap compress(std::span<const std::byte> input) = 0;
  /// Restores the input of the last compress() to `output`, which has that input's size.
  virtual Lap decompress(std::span<std::byte> output) = 0;
  /// The output of the last compress(), in the host's memory: the bytes of a file.
  virtual std::span<const std::byte> compressed() = 0;
};

/// A timed codec on a device. It allocates its buffers in the first run with an input of a new
/// size, and keeps them. Kernel seconds are the codec's alone; the checksum's time is only in the
/// wall time.
std::unique_ptr<TimedCodec> timed_on_device(std::unique_ptr<codec::DeviceCodec> codec);

}  // namespace fpsynth::timing
