#include "runners/baselines/gfc_sweep.hpp"

#include <fmt/core.h>

#include "runners/baselines/baselines.hpp"

namespace fpsynth::baselines {

results::Table gfc_sweep(std::span<const data::Input> inputs, unsigned dimensionality,
                         std::span<const unsigned> chunks, int repetitions,
                         const Progress& progress) {
  results::Table table;
  table.title = "GFC by number of chunks";
  table.columns = {
      {"data set"},        {"dimensionality"},    {"chunks"},         {"bytes"},
      {"compressed"},      {"ratio", 5},          {"compress GB/s"},  {"compress spread"},
      {"decompress GB/s"}, {"decompress spread"}, {"machine threads"}};
  std::vector<double> inverse_ratios(chunks.size());
  for (const data::Input& input : inputs) {
    const data::Input doubles = input.in(synth::Precision::Double);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (progress) progress(fmt::format("{}: {} chunks", input.name(), chunks[i]));
      const Measurement m = measure(gfc(chunks[i], dimensionality), doubles.bytes(),
                                    synth::Precision::Double, repetitions);
      table.rows.push_back({input.name(), std::uint64_t{dimensionality}, std::uint64_t{chunks[i]},
                            std::uint64_t{m.original_bytes}, std::uint64_t{m.compressed_bytes},
                            m.ratio(), m.compress.gb_per_s, m.compress.spread,
                            m.decompress.gb_per_s, m.decompress.spread,
                            static_cast<std::uint64_t>(m.threads)});
      inverse_ratios[i] += 1 / m.ratio();
    }
  }
  if (inputs.size() > 1) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      table.rows.push_back({"harmonic mean",
                            std::uint64_t{dimensionality},
                            std::uint64_t{chunks[i]},
                            {},
                            {},
                            static_cast<double>(inputs.size()) / inverse_ratios[i],
                            {},
                            {},
                            {},
                            {},
                            {}});
    }
  }
  table.notes = {
      "Table 2 of the paper: ratio by chunks, each data set with its own dimensionality.",
      fmt::format("GB/s are 1e9 original bytes per second, from memory to memory, median of {}; "
                  "spread is (slowest - fastest) / median. Round trips were verified.",
                  repetitions)};
  return table;
}

}  // namespace fpsynth::baselines
