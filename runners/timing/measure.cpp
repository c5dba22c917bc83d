#include "runners/timing/measure.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "synth/common/raise.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::timing {
namespace {

void add(results::Times& times, const Lap& lap) {
  times.seconds.push_back(lap.seconds);
  if (lap.kernel_seconds) times.kernel_seconds.push_back(*lap.kernel_seconds);
  if (lap.transfer_seconds) times.transfer_seconds.push_back(*lap.transfer_seconds);
}

/// Medians of as many runs as are needed to take `least` seconds.
template <typename Run>
Lap repetition(const Run& run, double least) {
  results::Times all;
  double sum = 0;
  do {
    add(all, run());
    sum += all.seconds.back();
  } while (sum < least);
  const auto middle = [](const std::vector<double>& seconds) {
    return seconds.empty() ? std::nullopt : std::optional(results::median(seconds));
  };
  return {results::median(all.seconds), middle(all.kernel_seconds), middle(all.transfer_seconds)};
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
    raise<RoundTripError>("{} cannot decompress its own output: {}", name, error.what());
  }
  if (std::ranges::equal(output, input)) return;
  const auto differ = std::ranges::mismatch(output, input).in2 - input.begin();
  raise<RoundTripError>(
      "{}: the round trip does not restore the input; the first difference is at byte {}", name,
      differ);
}

}  // namespace

results::ThroughputRow measure(TimedCodec& codec, const std::string& name,
                               std::span<const std::byte> input, const Effort& effort,
                               const Progress& progress) {
  const auto report = [&](const std::string& doing) {
    if (progress) progress(doing);
  };
  if (effort.repetitions < 1) throw Error("no repetitions to time; use one or more");
  results::ThroughputRow result;
  result.name = name;
  result.how = "library";
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
  result.input_bytes = input.size();
  const auto time = [&](const char* doing, const auto& run) {
    results::Times times;
    for (int i = 1; i <= effort.repetitions; ++i) {
      report(fmt::format("{} {}/{}", doing, i, effort.repetitions));
      add(times, repetition(run, effort.least_seconds));
    }
    return times;
  };
  result.compress = time("compressing", [&] { return codec.compress(input); });
  result.decompress = time("decompressing", [&] { return codec.decompress(output); });
  return result;
}

results::ThroughputRow measure(const Compressor& compressor, std::span<const std::byte> input,
                               synth::Precision precision, const Effort& effort,
                               const Progress& progress) {
  const auto codec = timed_compressor(compressor, precision);
  Effort its = effort;
  its.timed_bytes = std::max(its.timed_bytes, compressor.least_timed_bytes);
  results::ThroughputRow row = measure(*codec, compressor.name, input, its, progress);
  row.version = compressor.version;
  row.threads = std::uint64_t(compressor.threads);
  return row;
}

std::uint64_t last_level_cache_bytes() {
  long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes <= 0) bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

std::uint64_t default_input_bytes(std::uint64_t cache_bytes) {
  return std::max<std::uint64_t>(std::uint64_t{64} << 20, 4 * cache_bytes);
}

TimedSize timed_size(std::uint64_t data_bytes, synth::Precision precision, std::uint64_t bytes) {
  if (data_bytes >= bytes) return {data_bytes, 1};
  const std::uint64_t word = synth::word_bytes(precision), chunk = synth::kChunkWords * word;
  const std::uint64_t unit =
      data_bytes >= chunk ? data_bytes / chunk * chunk : data_bytes / word * word;
  if (unit == 0) {
    raise("{} bytes hold no whole word of {} bytes; there is nothing to time", data_bytes, word);
  }
  const std::uint64_t copies = (bytes + unit - 1) / unit;
  return {copies * unit, copies};
}

TimedInput::TimedInput(std::span<const std::byte> data, synth::Precision precision,
                       std::uint64_t bytes)
    : bytes_(data) {
  if (data.size() >= bytes) return;
  const TimedSize size = timed_size(data.size(), precision, bytes);
  copies_ = size.copies;
  storage_.resize(size.bytes);
  const std::size_t unit = size.bytes / copies_;
  for (std::uint64_t copy = 0; copy < copies_; ++copy) {
    std::memcpy(storage_.data() + copy * unit, data.data(), unit);
  }
  bytes_ = storage_;
}

}  // namespace fpsynth::timing
