#pragma once
// What the harness (measure.hpp) times: a compressor that keeps its memory, behind one interface,
// whatever runs it.

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

namespace fpsynth::timing {

/// One run of one direction.
struct Lap {
  double seconds = 0;  ///< wall time, from host memory to host memory
  /// Of a GPU: the kernels alone, by its events, and the transfers alone.
  std::optional<double> kernel_seconds = std::nullopt, transfer_seconds = std::nullopt;
};

/// Seconds of wall time that work() takes.
template <class Work>
double wall_seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A compressor in one precision with all memory that it needs. Used by one thread at a time; it
/// may use more inside. Throws Error.
class TimedCodec {
 public:
  virtual ~TimedCodec() = default;
  /// Compresses `input`, keeps what comes out, and tells how long that took. The memory of the call
  /// before is used again, so that none is made where the input has the same size.
  virtual Lap compress(std::span<const std::byte> input) = 0;
  /// Restores what was compressed last to `output`, which has the size of that input.
  virtual Lap decompress(std::span<std::byte> output) = 0;
  /// What was compressed last, in the host's memory: the bytes of a file.
  virtual std::span<const std::byte> compressed() = 0;
};

}  // namespace fpsynth::timing
