#pragma once
// Times compressors: inputs larger than the cache, round trips verified first.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/timing/backend.hpp"

namespace fpsynth::throughput {

/// Bytes of the last level of cache; 0 where the system does not tell.
std::uint64_t last_level_cache_bytes();

/// How many bytes to time if nothing else is asked for: four times the cache, 64 MiB at least.
std::uint64_t default_input_bytes(std::uint64_t cache_bytes);

/// How large a TimedInput is.
struct TimedSize {
  std::uint64_t bytes = 0, copies = 1;
};
/// Of `data_bytes` bytes of data. Throws what TimedInput throws.
TimedSize timed_size(std::uint64_t data_bytes, synth::Precision precision, std::uint64_t bytes);

/// What is compressed in one timing: the data set itself, or copies of it.
class TimedInput {
 public:
  /// At least `bytes` bytes. A data set that has fewer is repeated: its whole chunks, so that every
  /// chunk of the input is one of the data set; its whole words, if it is shorter than a chunk.
  /// `data` must outlive this. Throws Error where it holds no whole word.
  TimedInput(std::span<const std::byte> data, synth::Precision precision, std::uint64_t bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint64_t copies() const { return copies_; }

 private:
  std::vector<std::byte> storage_;
  std::span<const std::byte> bytes_;
  std::uint64_t copies_ = 1;
};

struct TimedRun {
  results::Times compress, decompress;
};

/// What is being done: "verifying", "compressing 2/3", "decompressing 1/3".
using Progress = std::function<void(const std::string& doing)>;

/// Compresses, decompresses and compares with the input, which also warms memory; then times
/// `repetitions` of each direction. `name` is for messages. Throws baselines::RoundTripError where
/// the round trip fails, and what the codec throws.
TimedRun time_codec(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
                    int repetitions, const Progress& progress = nullptr);

}  // namespace fpsynth::throughput
