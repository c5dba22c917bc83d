#include "runners/timing/sweeps/holt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "results/throughput/throughput.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/timing/sweeps/columns.hpp"
#include "runners/timing/timed_device_baselines.hpp"

namespace fpsynth::timing {
namespace {

using results::Cell;

constexpr std::size_t kSmallest = std::size_t{4} << 10;
constexpr const char* kNote =
    "Figure 4 of the paper: throughput by size. Each row is of the data set's first bytes.";

/// A row for each input and size. measured(bytes, more_cells) measures and sets the cells of the
/// columns `more`.
template <class Measured>
results::Table sweep(std::span<const data::Input> inputs, const Progress& progress, int threads,
                     const std::vector<results::Column>& more, const Measured& measured) {
  results::Table table;
  table.title = "Holt by size, single precision";
  table.columns = {{"data_set"},
                   {"bytes"},
                   {"compressed_bytes", "compressed"},
                   {"ratio"},
                   {"compressed_per_original", "compressed / original"}};
  std::ranges::copy(timing_columns(), std::back_inserter(table.columns));
  std::ranges::copy(more, std::back_inserter(table.columns));
  for (const data::Input& input : inputs) {
    const data::Input singles = input.in(synth::Precision::Single);
    for (const std::size_t size : holt_sizes(singles.bytes().size())) {
      if (progress) progress(fmt::format("{}: {} bytes", input.name(), size));
      std::vector<Cell> more_cells;
      const Measurement m = measured(singles.bytes().first(size), more_cells);
      std::vector<Cell> cells = {input.name(), std::uint64_t{m.original_bytes},
                                 std::uint64_t{m.compressed_bytes}, m.ratio(), 1 / m.ratio()};
      std::ranges::copy(timing_cells(m, threads), std::back_inserter(cells));
      std::ranges::copy(more_cells, std::back_inserter(cells));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

}  // namespace

std::vector<std::size_t> holt_sizes(std::size_t bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kSmallest; size < bytes; size *= 4) sizes.push_back(size);
  sizes.push_back(bytes);
  return sizes;
}

results::Table holt_sweep(std::span<const data::Input> inputs, const Effort& effort,
                          const Progress& progress) {
  const baselines::Compressor compressor = baselines::holt();
  results::Table table =
      sweep(inputs, progress, compressor.threads, {},
            [&](std::span<const std::byte> bytes, std::vector<Cell>&) {
              return measure(compressor, bytes, synth::Precision::Single, effort);
            });
  table.notes = {kNote, timing_note(effort)};
  return table;
}

results::Table holt_sweep_on(baselines::HoltDevice& device, std::string_view name,
                             std::span<const data::Input> inputs, const Effort& effort,
                             const Progress& progress) {
  Effort whole = effort;
  whole.timed_bytes = Effort().timed_bytes;
  const auto on_device = [&](std::span<const std::byte> bytes, std::vector<Cell>& cells) {
    const auto codec = timed_holt(device, synth::Precision::Single);
    const Measurement m = measure(*codec, "Holt", bytes, whole);
    const results::Times &compress = m.compress.times, &decompress = m.decompress.times;
    const auto milliseconds = [](const std::vector<double>& seconds) {
      return 1000 * results::median(seconds);
    };
    cells = {results::gb_per_s(compress.kernel_seconds, m.timed_bytes),
             results::gb_per_s(decompress.kernel_seconds, m.timed_bytes),
             milliseconds(compress.kernel_seconds),
             milliseconds(compress.transfer_seconds),
             milliseconds(decompress.kernel_seconds),
             milliseconds(decompress.transfer_seconds),
             std::string(name)};
    return m;
  };
  results::Table table = sweep(inputs, progress, 1,
                               {{"compress_kernels_gb_per_s", "kernels compress GB/s"},
                                {"decompress_kernels_gb_per_s", "kernels decompress GB/s"},
                                {"compress_kernels_ms"},
                                {"compress_transfers_ms"},
                                {"decompress_kernels_ms"},
                                {"decompress_transfers_ms"},
                                {"device"}},
                               on_device);
  table.notes = {
      kNote, timing_note(effort),
      "Times of kernels and transfers are medians by the device's clock; transfers are between the "
      "host's pageable memory and the device."};
  return table;
}

}  // namespace fpsynth::timing
