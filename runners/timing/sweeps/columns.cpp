#include "runners/timing/sweeps/columns.hpp"

#include <fmt/core.h>

namespace fpsynth::timing {

std::vector<results::Column> timing_columns() {
  return {{"compress_gb_per_s", "compress GB/s"},
          {"compress_spread"},
          {"decompress_gb_per_s", "decompress GB/s"},
          {"decompress_spread"},
          {"timed_bytes"},
          {"machine_threads"}};
}

std::vector<results::Cell> timing_cells(const Measurement& measured, int threads) {
  return {measured.compress.gb_per_s,          results::cell(measured.compress.spread),
          measured.decompress.gb_per_s,        results::cell(measured.decompress.spread),
          std::uint64_t{measured.timed_bytes}, static_cast<std::uint64_t>(threads)};
}

std::string timing_note(const Effort& effort) {
  std::string repetitions = fmt::format("median of {}", effort.repetitions);
  if (effort.least_seconds > 0) {
    repetitions += fmt::format(", each the median of as many runs as take {:g} ms",
                               1000 * effort.least_seconds);
  }
  return fmt::format(
      "GB/s: 1e9 original bytes per second, from memory to memory, {}; spread: (slowest - "
      "fastest) / median, in rows of means the largest. Ratios are of all bytes, and the round "
      "trip of "
      "all bytes was verified.",
      repetitions);
}

void SweepMean::add(const Measurement& measured) {
  ++count_;
  ratio_ += 1 / measured.ratio();
  compress_.add(measured.compress);
  decompress_.add(measured.decompress);
}

std::vector<results::Cell> SweepMean::timing_cells() const {
  return {count_ / compress_.inverses,
          results::cell(compress_.spread),
          count_ / decompress_.inverses,
          results::cell(decompress_.spread),
          {},
          {}};
}

}  // namespace fpsynth::timing
