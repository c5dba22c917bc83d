#include "runners/timing/sweeps/pfpc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "runners/baselines/fpc/compressor.hpp"
#include "runners/timing/sweeps/columns.hpp"

namespace fpsynth::timing {

std::vector<baselines::PfpcParameters> pfpc_product(std::span<const unsigned> table_bits,
                                                    std::span<const unsigned> threads,
                                                    std::span<const std::uint32_t> chunks) {
  std::vector<baselines::PfpcParameters> settings;
  for (const unsigned p : table_bits) {
    for (const unsigned t : threads) {
      for (const std::uint32_t c : chunks) settings.push_back({p, t, c});
    }
  }
  return settings;
}

std::vector<baselines::PfpcParameters> pfpc_figures(std::span<const unsigned> table_bits) {
  std::vector<baselines::PfpcParameters> settings;
  for (const unsigned p : table_bits) {
    for (unsigned t = 1; t <= 16; ++t) {
      const std::uint32_t largest = t <= 4 ? 65536 : 1;
      for (std::uint32_t c = 1; c <= largest; c *= 2) settings.push_back({p, t, c});
    }
  }
  return settings;
}

results::Table pfpc_sweep(std::span<const data::Input> inputs,
                          std::span<const baselines::PfpcParameters> settings, const Effort& effort,
                          const Progress& progress) {
  results::Table table;
  table.title = "pFPC by table size, threads and chunk size";
  table.columns = {{"data_set"},
                   {"table_bits"},
                   {"table_bytes"},
                   {"threads"},
                   {"chunk_values", "chunk"},
                   {"bytes"},
                   {"compressed_bytes", "compressed"},
                   {"ratio", 4}};
  std::ranges::copy(timing_columns(), std::back_inserter(table.columns));
  std::vector<SweepMean> means(settings.size());
  const auto row = [&](const std::string& name, const baselines::PfpcParameters& p) {
    return std::vector<results::Cell>{name, std::uint64_t{p.table_bits},
                                      std::uint64_t{16} << p.table_bits, std::uint64_t{p.threads},
                                      std::uint64_t{p.chunk}};
  };
  const auto add = [&](std::vector<results::Cell> cells, std::vector<results::Cell> sizes,
                       std::vector<results::Cell> timings) {
    std::ranges::copy(sizes, std::back_inserter(cells));
    std::ranges::copy(timings, std::back_inserter(cells));
    table.rows.push_back(std::move(cells));
  };
  for (const data::Input& input : inputs) {
    const data::Input doubles = input.in(synth::Precision::Double);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const baselines::PfpcParameters& p = settings[i];
      if (progress) {
        progress(fmt::format("{}: 2^{} entries, {} threads, chunks of {} ({} of {})", input.name(),
                             p.table_bits, p.threads, p.chunk, i + 1, settings.size()));
      }
      const auto compressor = baselines::pfpc(p);
      const Measurement m = measure(compressor, doubles.bytes(), synth::Precision::Double, effort);
      add(row(input.name(), p),
          {std::uint64_t{m.original_bytes}, std::uint64_t{m.compressed_bytes}, m.ratio()},
          timing_cells(m, compressor.threads));
      means[i].add(m);
    }
  }
  if (inputs.size() > 1) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      add(row("harmonic mean", settings[i]), {{}, {}, means[i].ratio()}, means[i].timing_cells());
    }
  }
  table.notes = {
      "Figure 2 of the paper: ratio by threads at chunk 1 and 2097152 table bytes.",
      "Figure 3: harmonic mean of the ratio by chunk, 1 to 4 threads, 8192 and 2097152 table "
      "bytes; Figure 4: the same for the throughputs.",
      timing_note(effort)};
  return table;
}

}  // namespace fpsynth::timing
