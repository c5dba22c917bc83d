#include "runners/timing/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace fpsynth::timing {
namespace {

std::optional<double> median_of(const std::vector<Lap>& laps, std::optional<double> Lap::*part) {
  std::vector<double> seconds;
  for (const Lap& lap : laps) {
    if (lap.*part) seconds.push_back(*(lap.*part));
  }
  if (seconds.empty()) return std::nullopt;
  return results::median(std::move(seconds));
}

/// Medians of as many runs as are needed to take `least` seconds.
template <typename Run>
Lap repetition(const Run& run, double least) {
  std::vector<Lap> laps;
  std::vector<double> seconds;
  double sum = 0;
  do {
    laps.push_back(run());
    seconds.push_back(laps.back().seconds);
    sum += seconds.back();
  } while (sum < least);
  return {results::median(std::move(seconds)), median_of(laps, &Lap::kernel_seconds),
          median_of(laps, &Lap::transfer_seconds)};
}

void add(results::Times& times, const Lap& lap) {
  times.seconds.push_back(lap.seconds);
  if (lap.kernel_seconds) times.kernel_seconds.push_back(*lap.kernel_seconds);
  if (lap.transfer_seconds) times.transfer_seconds.push_back(*lap.transfer_seconds);
}

/// Compresses `input`, decompresses it to `output` and compares. Before, `output` is filled with
/// the complement of every byte, so that a byte that the codec does not write is detected.
void verify(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
            std::span<std::byte> output) {
  std::ranges::transform(input, output.begin(), [](std::byte byte) { return ~byte; });
  codec.compress(input);
  try {
    codec.decompress(output);
  } catch (const Error& error) {
    throw RoundTripError(
        fmt::format("{} cannot decompress its own output: {}", name, error.what()));
  }
  if (std::ranges::equal(output, input)) return;
  const auto differ = std::ranges::mismatch(output, input).in2 - input.begin();
  throw RoundTripError(fmt::format(
      "{}: the round trip does not restore the input; the first difference is at byte {}", name,
      differ));
}

}  // namespace

Timing timing_of(results::Times times, std::size_t original_bytes) {
  if (times.seconds.empty()) {
    throw Error("no repetitions, so there is no median; use one or more");
  }
  const double median = results::median(times.seconds);
  const std::optional<double> spread = results::spread(times.seconds);
  const double gb_per_s = results::gb_per_s(times.seconds, original_bytes);
  return {std::move(times), median, spread, gb_per_s};
}

Measurement measure(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
                    const Effort& effort, const Progress& progress) {
  const auto report = [&](const std::string& doing) {
    if (progress) progress(doing);
  };
  Measurement result;
  result.original_bytes = input.size();
  report("verifying");
  std::vector<std::byte> buffer(input.size());
  std::span<std::byte> output = buffer;
  verify(codec, name, input, output);
  result.compressed_bytes = codec.compressed().size();

  if (effort.timed_bytes < input.size()) {
    input = input.first(effort.timed_bytes / 8 * 8);
    output = output.first(input.size());
    codec.compress(input);  // warms up with this size
  }
  result.timed_bytes = input.size();
  const auto time = [&](const char* doing, const auto& run) {
    results::Times times;
    for (int i = 1; i <= effort.repetitions; ++i) {
      report(fmt::format("{} {}/{}", doing, i, effort.repetitions));
      add(times, repetition(run, effort.least_seconds));
    }
    return timing_of(std::move(times), input.size());
  };
  result.compress = time("compressing", [&] { return codec.compress(input); });
  result.decompress = time("decompressing", [&] { return codec.decompress(output); });
  return result;
}

Measurement measure(const Compressor& compressor, std::span<const std::byte> input,
                    synth::Precision precision, const Effort& effort, const Progress& progress) {
  const auto codec = timed_compressor(compressor, precision);
  Effort its = effort;
  its.timed_bytes = std::max(its.timed_bytes, compressor.least_timed_bytes);
  return measure(*codec, compressor.name, input, its, progress);
}

}  // namespace fpsynth::timing
