#include "runners/timing/timed_input.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "synth/common/error.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::timing {

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

}  // namespace fpsynth::timing
