#include "runners/baselines/holt_sweep.hpp"

#include <fmt/core.h>

#include "runners/baselines/baselines.hpp"

namespace fpsynth::baselines {
namespace {

constexpr std::size_t kSmallest = std::size_t{4} << 10;

}  // namespace

std::vector<std::size_t> holt_sizes(std::size_t bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kSmallest; size < bytes; size *= 4) sizes.push_back(size);
  sizes.push_back(bytes);
  return sizes;
}

results::Table holt_sweep(std::span<const data::Input> inputs, int repetitions,
                          const Progress& progress) {
  results::Table table;
  table.title = "Holt by size, single precision";
  table.columns = {{"data set"},
                   {"bytes"},
                   {"compressed"},
                   {"ratio"},
                   {"compressed / original"},
                   {"compress GB/s"},
                   {"compress spread"},
                   {"decompress GB/s"},
                   {"decompress spread"},
                   {"machine threads"}};
  for (const data::Input& input : inputs) {
    const data::Input singles = input.in(synth::Precision::Single);
    for (const std::size_t size : holt_sizes(singles.bytes().size())) {
      if (progress) progress(fmt::format("{}: {} bytes", input.name(), size));
      const Measurement m =
          measure(holt(), singles.bytes().first(size), synth::Precision::Single, repetitions);
      table.rows.push_back({input.name(), std::uint64_t{m.original_bytes},
                            std::uint64_t{m.compressed_bytes}, m.ratio(), 1 / m.ratio(),
                            m.compress.gb_per_s, m.compress.spread, m.decompress.gb_per_s,
                            m.decompress.spread, static_cast<std::uint64_t>(m.threads)});
    }
  }
  table.notes = {
      "Figure 4 of the paper: throughput by size. Of each data set its first bytes.",
      fmt::format("GB/s are 1e9 original bytes per second, from memory to memory, median of {}; "
                  "spread is (slowest - fastest) / median. Round trips were verified.",
                  repetitions)};
  return table;
}

}  // namespace fpsynth::baselines
