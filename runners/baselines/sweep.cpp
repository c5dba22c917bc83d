#include "runners/baselines/sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace fpsynth::baselines {
namespace {

const char* yes_no(bool yes) { return yes ? "yes" : "no"; }

using results::Cell;
using timing::Measurement;

using Measured = std::vector<Measurement>;

/// The harmonic mean of a figure of measurements.
double mean(const Measured& measured, auto figure) {
  double inverses = 0;
  for (const Measurement& one : measured) inverses += 1 / figure(one);
  return double(measured.size()) / inverses;
}

/// The mean throughput and the largest spread of one direction.
std::vector<Cell> mean_cells(const Measured& measured, timing::Timing Measurement::*direction) {
  std::optional<double> spread;
  for (const Measurement& one : measured) spread = std::max(spread, (one.*direction).spread);
  return results::cells(
      mean(measured, [&](const Measurement& one) { return (one.*direction).gb_per_s; }), spread);
}

/// Adds the row of means over data sets, of which all or not all fit.
void add_means(results::Table& table, const std::vector<Cell>& setting, const Measured& measured,
               bool fit) {
  table.add("harmonic mean", setting, Cell(), Cell(),
            mean(measured, [](const Measurement& one) { return one.ratio(); }),
            mean_cells(measured, &Measurement::compress),
            mean_cells(measured, &Measurement::decompress), Cell(), Cell(), measured.size(),
            yes_no(fit));
}

}  // namespace

std::vector<results::Column> timing_columns() {
  return {{"compress_gb_per_s", "compress GB/s"},
          {"compress_spread"},
          {"decompress_gb_per_s", "decompress GB/s"},
          {"decompress_spread"},
          {"timed_bytes"},
          {"machine_threads"}};
}

std::vector<Cell> timing_cells(const Measurement& measured, int threads) {
  return results::cells(measured.compress.gb_per_s, measured.compress.spread,
                        measured.decompress.gb_per_s, measured.decompress.spread,
                        measured.timed_bytes, threads);
}

std::string timing_note(const timing::Effort& effort) {
  std::string repetitions = fmt::format("median of {}", effort.repetitions);
  if (effort.least_seconds > 0) {
    repetitions += fmt::format(", each the median of as many runs as take {:g} ms",
                               1000 * effort.least_seconds);
  }
  return fmt::format(
      "GB/s: 1e9 original bytes per second, from memory to memory, {}; spread: (slowest - "
      "fastest) / median, in rows of means the largest. Ratios are of all bytes, and the round "
      "trip of all bytes was verified.",
      repetitions);
}

results::Table sweep_table(std::string title, std::vector<results::Column> columns,
                           int ratio_decimals, std::span<const SweepInput> inputs,
                           const SweepSettings& settings, const timing::Effort& effort,
                           const timing::Progress& progress) {
  results::Table table{.title = std::move(title), .columns = {{"data_set"}}};
  columns.insert(columns.end(),
                 {{"bytes"}, {"compressed_bytes", "compressed"}, {"ratio", ratio_decimals}});
  for (const auto& more : {columns, timing_columns()}) {
    table.columns.insert(table.columns.end(), more.begin(), more.end());
  }
  table.columns.insert(table.columns.end(), {{"data_sets"}, {"fits"}});
  std::vector<Measured> measured(settings.count), fitting(settings.count);
  for (const SweepInput& from : inputs) {
    const data::Input doubles = from.input.in(synth::Precision::Double);
    for (std::size_t i = 0; i < settings.count; ++i) {
      if (progress) progress(fmt::format("{}: {}", from.input.name(), settings.name(i)));
      const Compressor compressor = settings.compressor(i, from);
      const Measurement m =
          timing::measure(compressor, doubles.bytes(), synth::Precision::Double, effort);
      table.add(from.input.name(), settings.cells(i, &from), m.original_bytes, m.compressed_bytes,
                m.ratio(), timing_cells(m, compressor.threads), 1u, yes_no(settings.fits(i, from)));
      measured[i].push_back(m);
      if (settings.fits(i, from)) fitting[i].push_back(m);
    }
  }
  if (inputs.size() < 2) return table;
  for (std::size_t i = 0; i < settings.count; ++i) {
    const bool all = fitting[i].size() == measured[i].size();
    add_means(table, settings.cells(i, nullptr), measured[i], all);
    if (!all && fitting[i].size() > 1) {
      add_means(table, settings.cells(i, nullptr), fitting[i], true);
    }
  }
  return table;
}

}  // namespace fpsynth::baselines
