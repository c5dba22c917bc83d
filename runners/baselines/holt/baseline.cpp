#include "runners/baselines/holt/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "results/throughput/throughput.hpp"

namespace fpsynth::baselines {
namespace {

using results::Cell;
using synth::Precision;

OnDevice on_device(const std::shared_ptr<HoltDevice>& holt, Precision precision,
                   const HoltParameters& parameters) {
  return {holt, [=](std::span<const std::byte> input, std::vector<std::byte>& file) {
            holt->encode_into(input, precision, parameters, file);
          }};
}

class Holt final : public Baseline {
 public:
  Description description() const override {
    return {.name = "holt",
            .title = "Holt",
            .help = "Holt's linear exponential smoothing",
            .example = "plasma.f32 plasma.holt --alpha 0.5 --beta 0.1 --backend auto",
            .ending = "holt",
            .singles = true,
            .checksum = true,
            .compress_threads = true,
            .decompress_threads = true,
            .both_ratios = true,
            .device = true};
  }
  std::vector<Parameter> parameters() override {
    return {{"--alpha", "Smoothing of the level", &parameters_.alpha, 0, 1},
            {"--beta", "Smoothing of the slope", &parameters_.beta, 0, 1},
            {"--run", "Values in an independent run", &parameters_.run, 1, kMaxHoltRun}};
  }
  std::uint64_t compress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, encode_holt(work.bytes, work.precision, parameters_, work.threads));
  }
  std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, decode_holt(work.bytes, work.name, work.threads));
  }
  OnDevice on(const device::DeviceInfo& gpu, Precision precision) override {
    return on_device(holt_on(gpu), precision, parameters_);
  }

  Compressor compressor(unsigned) override { return holt(); }
  std::vector<TimedBaseline> timed_on(const device::DeviceInfo& gpu, Precision precision,
                                      unsigned) override {
    return {{"Holt", [=] { return timed_on_device(on_device(holt_on(gpu), precision, {})); }}};
  }

  std::optional<Sweep> sweep() override {
    return Sweep{
        .help = "Ratio and throughput by size, in single precision",
        .footer =
            "Uses the first 4 KiB of each data set, four times as much, and so on. Every round "
            "trip is\n"
            "verified. On a GPU its kernels and transfers are timed apart.\n"
            "\n"
            "Examples:\n"
            "  fpsynth baseline holt sweep num_plasma.trace.fpc\n"
            "  fpsynth baseline holt sweep num_plasma.trace.fpc --backend cuda",
        .part_timed = false,
        .on_gpu = true};
  }
  std::vector<results::Table> measure(const SweepWork& work) override {
    if (!work.gpu) return {holt_sweep(work.inputs, work.effort, work.progress)};
    return {
        holt_sweep_on(holt_on(*work.gpu), work.gpu->name, work.inputs, work.effort, work.progress)};
  }

 private:
  HoltParameters parameters_;
};

constexpr std::size_t kSmallest = std::size_t{4} << 10;
constexpr const char* kNote =
    "Figure 4 of the paper: throughput by size. Each row is of the data set's first bytes.";

/// A row for each input and size. measured(bytes, more_cells) measures and sets the cells of the
/// columns `more`.
template <class Measured>
results::Table sweep(std::span<const SweepInput> inputs, const timing::Progress& progress,
                     int threads, const std::vector<results::Column>& more,
                     const Measured& measured) {
  results::Table table;
  table.title = "Holt by size, single precision";
  table.columns = {{"data_set"},
                   {"bytes"},
                   {"compressed_bytes", "compressed"},
                   {"ratio"},
                   {"compressed_per_original", "compressed / original"}};
  std::ranges::copy(timing_columns(), std::back_inserter(table.columns));
  std::ranges::copy(more, std::back_inserter(table.columns));
  for (const auto& [input, dimensionality] : inputs) {
    const data::Input singles = input.in(synth::Precision::Single);
    for (const std::size_t size : holt_sizes(singles.bytes().size())) {
      if (progress) progress(fmt::format("{}: {} bytes", input.name(), size));
      std::vector<Cell> more_cells;
      const timing::Measurement m = measured(singles.bytes().first(size), more_cells);
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

std::unique_ptr<Baseline> holt_baseline() { return std::make_unique<Holt>(); }

std::vector<std::size_t> holt_sizes(std::size_t bytes) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kSmallest; size < bytes; size *= 4) sizes.push_back(size);
  sizes.push_back(bytes);
  return sizes;
}

results::Table holt_sweep(std::span<const SweepInput> inputs, const timing::Effort& effort,
                          const timing::Progress& progress) {
  const Compressor compressor = holt();
  results::Table table =
      sweep(inputs, progress, compressor.threads, {},
            [&](std::span<const std::byte> bytes, std::vector<Cell>&) {
              return timing::measure(compressor, bytes, synth::Precision::Single, effort);
            });
  table.notes = {kNote, timing_note(effort)};
  return table;
}

results::Table holt_sweep_on(const std::shared_ptr<HoltDevice>& device, const std::string& name,
                             std::span<const SweepInput> inputs, const timing::Effort& effort,
                             const timing::Progress& progress) {
  timing::Effort whole = effort;
  whole.timed_bytes = timing::Effort().timed_bytes;
  const auto codec = timed_on_device(on_device(device, synth::Precision::Single, {}));
  const auto on_device = [&](std::span<const std::byte> bytes, std::vector<Cell>& cells) {
    const timing::Measurement m = timing::measure(*codec, "Holt", bytes, whole);
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
             name};
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

}  // namespace fpsynth::baselines
