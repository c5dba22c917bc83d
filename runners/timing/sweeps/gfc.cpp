#include "runners/timing/sweeps/gfc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/gfc/lanes.hpp"
#include "runners/timing/sweeps/columns.hpp"

namespace fpsynth::timing {
namespace {

/// Counts residuals by their number of leading zero bytes; ignores a trailing part of a double.
std::array<std::uint64_t, 9> leading_zeros(std::span<const std::byte> doubles,
                                           unsigned dimensionality) {
  using namespace baselines::gfc_lanes;
  if (dimensionality < 1 || dimensionality > baselines::kMaxGfcDimensionality) {
    throw UsageError(fmt::format("GFC with dimensionality {}; 1 to {} are allowed", dimensionality,
                                 baselines::kMaxGfcDimensionality));
  }
  std::array<std::uint64_t, 9> counts{};
  const auto value_at = [&](std::size_t i) {
    std::uint64_t value;
    std::memcpy(&value, doubles.data() + 8 * i, sizeof value);
    return value;
  };
  for (std::size_t i = 0; i < doubles.size() / 8; ++i) {
    const std::size_t lane = i % kLanes, subchunk = i - lane;
    const std::uint64_t predicted =
        subchunk == 0 ? 0 : value_at(subchunk - kLanes + predicting_lane(lane, dimensionality));
    const Residual residual = residual_of(value_at(i), predicted);
    ++counts[static_cast<std::size_t>(std::countl_zero(residual.bits)) / 8];
  }
  return counts;
}

}  // namespace

results::Table gfc_sweep(std::span<const GfcInput> inputs, std::span<const unsigned> chunks,
                         const Effort& effort, const Progress& progress) {
  results::Table table;
  table.title = "GFC by number of chunks";
  table.columns = {
      {"data_set"}, {"dimensionality"}, {"chunks"}, {"bytes"}, {"compressed_bytes", "compressed"},
      {"ratio", 5}};
  std::ranges::copy(timing_columns(), std::back_inserter(table.columns));
  const auto add = [&](std::vector<results::Cell> cells, std::vector<results::Cell> timings) {
    std::ranges::copy(timings, std::back_inserter(cells));
    table.rows.push_back(std::move(cells));
  };
  std::vector<SweepMean> means(chunks.size());
  for (const auto& [input, dimensionality] : inputs) {
    const data::Input doubles = input.in(synth::Precision::Double);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (progress) progress(fmt::format("{}: {} chunks", input.name(), chunks[i]));
      const auto compressor = baselines::gfc(chunks[i], dimensionality);
      const Measurement m = measure(compressor, doubles.bytes(), synth::Precision::Double, effort);
      add({input.name(), std::uint64_t{dimensionality}, std::uint64_t{chunks[i]},
           std::uint64_t{m.original_bytes}, std::uint64_t{m.compressed_bytes}, m.ratio()},
          timing_cells(m, compressor.threads));
      means[i].add(m);
    }
  }
  if (inputs.size() > 1) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      add({"harmonic mean", {}, std::uint64_t{chunks[i]}, {}, {}, means[i].ratio()},
          means[i].timing_cells());
    }
  }
  table.notes = {"Table 2 of the paper: ratio by chunks.", timing_note(effort)};
  return table;
}

results::Table gfc_leading_zeros(std::span<const GfcInput> inputs) {
  results::Table table{.title = "Leading zero bytes of GFC's residuals",
                       .columns = {{"data_set"},
                                   {"dimensionality"},
                                   {"leading_zero_bytes"},
                                   {"values"},
                                   {"share_percent", "share %", 2}},
                       .rows = {},
                       .notes = {"Figure 2 of the paper. 8: the prediction was exact."}};
  for (const auto& [input, dimensionality] : inputs) {
    const data::Input doubles = input.in(synth::Precision::Double);
    const std::array<std::uint64_t, 9> counts = leading_zeros(doubles.bytes(), dimensionality);
    const std::size_t values = doubles.bytes().size() / 8;
    for (std::size_t zeros = 0; zeros < counts.size(); ++zeros) {
      table.rows.push_back({input.name(), std::uint64_t{dimensionality}, std::uint64_t{zeros},
                            counts[zeros],
                            100 * static_cast<double>(counts[zeros]) /
                                static_cast<double>(std::max<std::size_t>(values, 1))});
    }
  }
  return table;
}

}  // namespace fpsynth::timing
