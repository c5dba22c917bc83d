#include "runners/timing/timing.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::throughput {
namespace {

void add(results::Times& times, const Lap& lap) {
  times.seconds.push_back(lap.seconds);
  if (lap.kernel_seconds) times.kernel_seconds.push_back(*lap.kernel_seconds);
  if (lap.transfer_seconds) times.transfer_seconds.push_back(*lap.transfer_seconds);
}

void verify(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
            std::span<std::byte> output) {
  codec.compress(input);
  try {
    codec.decompress(output);
  } catch (const Error& error) {
    throw baselines::RoundTripError(
        fmt::format("{} refuses what it has compressed: {}", name, error.what()));
  }
  if (std::memcmp(output.data(), input.data(), input.size()) == 0) return;
  const auto differ = std::ranges::mismatch(output, input).in2 - input.begin();
  throw baselines::RoundTripError(
      fmt::format("{}: the round trip does not give the input back, from byte {} on; nothing is "
                  "worth timing",
                  name, differ));
}

}  // namespace

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
    throw Error(fmt::format("{} bytes hold no whole word of {} bytes; there is nothing to time",
                            data_bytes, word));
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

TimedRun time_codec(TimedCodec& codec, const std::string& name, std::span<const std::byte> input,
                    int repetitions, const Progress& progress) {
  const auto say = [&](const std::string& doing) {
    if (progress) progress(doing);
  };
  say("verifying");
  std::vector<std::byte> output(input.size());
  verify(codec, name, input, output);
  TimedRun run;
  for (int i = 1; i <= repetitions; ++i) {
    say(fmt::format("compressing {}/{}", i, repetitions));
    add(run.compress, codec.compress(input));
  }
  for (int i = 1; i <= repetitions; ++i) {
    say(fmt::format("decompressing {}/{}", i, repetitions));
    add(run.decompress, codec.decompress(output));
  }
  return run;
}

}  // namespace fpsynth::throughput
