#include "runners/timing/measure.hpp"

#include <fmt/core.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <climits>

#include "results/throughput/throughput.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

template <typename Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  const auto kept = work();  // freed after the clock is read
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count();
}

/// Median of as many runs as take `least` seconds.
template <typename Work>
double repetition(const Work& work, double least) {
  std::vector<double> runs;
  double sum = 0;
  do {
    runs.push_back(seconds_of(work));
    sum += runs.back();
  } while (sum < least);
  return results::median(std::move(runs));
}

void verify(const Compressor& compressor, std::span<const std::byte> file,
            std::span<const std::byte> input, synth::Precision precision) {
  std::vector<std::byte> back;
  try {
    back = compressor.decompress(file, precision, input.size());
  } catch (const Error& error) {
    throw RoundTripError(
        fmt::format("{} refuses what it has compressed: {}", compressor.name, error.what()));
  }
  if (std::ranges::equal(back, input)) return;
  const auto differ = std::ranges::mismatch(back, input).in2 - input.begin();
  throw RoundTripError(fmt::format(
      "{}: the round trip does not give the input back, from byte {} on", compressor.name, differ));
}

}  // namespace

Timing timing_of(std::vector<double> seconds, std::size_t original_bytes) {
  if (seconds.empty()) throw Error("no repetitions to take a median of; ask for one or more");
  return {seconds, results::median(seconds), results::spread(seconds),
          results::gb_per_s(seconds, original_bytes)};
}

Measurement measure(const Compressor& compressor, std::span<const std::byte> input,
                    synth::Precision precision, const Effort& effort, const Progress& progress) {
  const auto say = [&](const std::string& doing) {
    if (progress) progress(doing);
  };
  Measurement result;
  result.name = compressor.name;
  result.version = compressor.version;
  result.threads = compressor.threads;
  result.precision = precision;
  result.original_bytes = input.size();
  say("verifying");
  std::vector<std::byte> file = compressor.compress(input, precision);
  result.compressed_bytes = file.size();
  verify(compressor, file, input, precision);

  if (effort.timed_bytes < input.size()) {
    input = input.first(effort.timed_bytes / 8 * 8);
    file = compressor.compress(input, precision);
  }
  result.timed_bytes = input.size();
  const auto time = [&](const char* doing, const auto& work) {
    std::vector<double> seconds;
    for (int i = 1; i <= effort.repetitions; ++i) {
      say(fmt::format("{} {}/{}", doing, i, effort.repetitions));
      seconds.push_back(repetition(work, effort.least_seconds));
    }
    return timing_of(std::move(seconds), input.size());
  };
  result.compress = time("compressing", [&] { return compressor.compress(input, precision); });
  result.decompress =
      time("decompressing", [&] { return compressor.decompress(file, precision, input.size()); });
  return result;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace fpsynth::baselines
