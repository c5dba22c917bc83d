#include "runners/timing/sweeps/holt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "results/throughput/throughput.hpp"
#include "runners/baselines/baselines.hpp"
#include "runners/timing/sweeps/common.hpp"

namespace fpsynth::baselines {
namespace {

using results::Cell;

constexpr std::size_t kSmallest = std::size_t{4} << 10;
constexpr const char* kNote =
    "Figure 4 of the paper: throughput by size. Of each data set its first bytes.";

/// A row for each input and size; `measured` gives the cells of `more` columns.
template <class Measured>
results::Table sweep(std::span<const data::Input> inputs, const Progress& progress,
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
      std::vector<Cell> its;
      const Measurement m = measured(singles.bytes().first(size), its);
      std::vector<Cell> cells = {input.name(), std::uint64_t{m.original_bytes},
                                 std::uint64_t{m.compressed_bytes}, m.ratio(), 1 / m.ratio()};
      std::ranges::copy(timing_cells(m), std::back_inserter(cells));
      std::ranges::copy(its, std::back_inserter(cells));
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

/// Times of a device in each call after the first one, which verifies.
class Calls {
 public:
  void add(const DeviceTimes& times) {
    if (first_) {
      first_ = false;
      return;
    }
    kernels_.push_back(times.kernel);
    transfers_.push_back(times.to_device + times.to_host);
  }
  double gb_per_s(std::size_t bytes) const { return results::gb_per_s(kernels_, bytes); }
  double kernels_ms() const { return 1000 * results::median(kernels_); }
  double transfers_ms() const { return 1000 * results::median(transfers_); }

 private:
  bool first_ = true;
  std::vector<double> kernels_, transfers_;
};

}  // namespace

std::vector<std::size_t> holt_sizes(std::size_t bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kSmallest; size < bytes; size *= 4) sizes.push_back(size);
  sizes.push_back(bytes);
  return sizes;
}

results::Table holt_sweep(std::span<const data::Input> inputs, const Effort& effort,
                          const Progress& progress) {
  results::Table table =
      sweep(inputs, progress, {}, [&](std::span<const std::byte> bytes, std::vector<Cell>&) {
        return measure(holt(), bytes, synth::Precision::Single, effort);
      });
  table.notes = {kNote, timing_note(effort)};
  return table;
}

results::Table holt_sweep_on(HoltDevice& device, std::string_view name,
                             std::span<const data::Input> inputs, const Effort& effort,
                             const Progress& progress) {
  Effort whole = effort;
  whole.timed_bytes = Effort().timed_bytes;
  const auto on_device = [&](std::span<const std::byte> bytes, std::vector<Cell>& cells) {
    Calls compressing, decompressing;
    Compressor compressor = holt();
    compressor.threads = 1;
    compressor.compress = [&](std::span<const std::byte> input, synth::Precision precision) {
      auto file = device.encode(input, precision, {});
      compressing.add(device.times());
      return file;
    };
    compressor.decompress = [&](std::span<const std::byte> file, synth::Precision, std::size_t) {
      auto original = device.decode(file, "what was compressed");
      decompressing.add(device.times());
      return original;
    };
    const Measurement m = measure(compressor, bytes, synth::Precision::Single, whole);
    cells = {compressing.gb_per_s(m.timed_bytes),
             decompressing.gb_per_s(m.timed_bytes),
             compressing.kernels_ms(),
             compressing.transfers_ms(),
             decompressing.kernels_ms(),
             decompressing.transfers_ms(),
             std::string(name)};
    return m;
  };
  results::Table table = sweep(inputs, progress,
                               {{"compress_kernels_gb_per_s", "kernels compress GB/s"},
                                {"decompress_kernels_gb_per_s", "kernels decompress GB/s"},
                                {"compress_kernels_ms"},
                                {"compress_transfers_ms"},
                                {"decompress_kernels_ms"},
                                {"decompress_transfers_ms"},
                                {"device"}},
                               on_device);
  table.notes = {kNote, timing_note(effort),
                 "Kernels and transfers by the device's clock, medians; the transfers are of the "
                 "host's pageable memory, both ways."};
  return table;
}

}  // namespace fpsynth::baselines
