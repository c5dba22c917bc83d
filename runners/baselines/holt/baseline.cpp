#include "runners/baselines/holt/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "results/throughput/throughput.hpp"

namespace fpsynth::baselines {
namespace {

using results::Cell;
using synth::Precision;

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
            {"--run", "Values in an independent run", &parameters_.run, 1, kMaxHoltRun},
            {"--floats", "Smooth the values, not the integers that have their bits",
             &parameters_.floats}};
  }
  std::uint64_t compress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, encode_holt(work.bytes, work.precision, parameters_, work.threads));
  }
  std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, decode_holt(work.bytes, work.name, work.threads));
  }
  OnDevice on(const device::DeviceInfo& gpu, Precision precision) override {
    return {on_gpu<holt_on>(gpu), precision, parameters_};
  }

  Compressor compressor(unsigned) override { return holt(); }
  std::vector<TimedBaseline> timed_on(const device::DeviceInfo& gpu, Precision precision,
                                      unsigned) override {
    return {{"Holt", [=] {
               return timed_on_device({on_gpu<holt_on>(gpu), precision, HoltParameters()});
             }}};
  }

  std::optional<Sweep> sweep() override {
    return Sweep{
        .help = "Ratio and throughput by size, ratio by run and smoothing, in single precision",
        .footer =
            "Uses the first 4 KiB of each data set, four times as much, and so on. Every round "
            "trip is\n"
            "verified. On a GPU its kernels and transfers are timed apart. A second table has the "
            "ratios\n"
            "of whole data sets by run length, alpha, beta, and arithmetic.\n"
            "\n"
            "Examples:\n"
            "  fpsynth baseline sweep holt num_plasma.trace.fpc\n"
            "  fpsynth baseline sweep holt num_plasma.trace.fpc --backend cuda",
        .part_timed = false,
        .on_gpu = true};
  }
  std::vector<results::Table> measure(const SweepWork& work) override {
    if (work.gpu) {
      return {holt_sweep(work.inputs, work.effort, work.progress, on_gpu<holt_on>(*work.gpu),
                         work.gpu->name)};
    }
    return {holt_sweep(work.inputs, work.effort, work.progress),
            holt_settings(work.inputs, work.progress)};
  }

 private:
  HoltParameters parameters_;
};

constexpr std::size_t kSmallest = std::size_t{4} << 10;

/// Cells of the throughput and the times of a device.
std::vector<Cell> device_cells(const results::ThroughputRow& m, const std::string& name) {
  const auto milliseconds = [](const std::vector<double>& seconds) {
    return 1000 * results::median(seconds);
  };
  return {results::gb_per_s(m.compress.kernel_seconds, m.input_bytes),
          results::gb_per_s(m.decompress.kernel_seconds, m.input_bytes),
          milliseconds(m.compress.kernel_seconds),
          milliseconds(m.compress.transfer_seconds),
          milliseconds(m.decompress.kernel_seconds),
          milliseconds(m.decompress.transfer_seconds),
          name};
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
                          const timing::Progress& progress,
                          const std::shared_ptr<HoltDevice>& device, const std::string& name) {
  const Compressor compressor = holt();
  const auto codec = device ? timed_on_device({device, Precision::Single, HoltParameters()})
                            : timing::timed_compressor(compressor, Precision::Single);
  timing::Effort used = effort;
  if (device) used.timed_bytes = timing::Effort().timed_bytes;
  results::Table table{
      .title = "Holt by size, single precision",
      .columns = results::columns(
          "data_set", "bytes", results::Column("compressed_bytes", "compressed"), "ratio",
          results::Column("compressed_per_original", "compressed / original")),
      .notes = {"Figure 4 of the paper: throughput by size. Each row is of the "
                "data set's first bytes.",
                timing_note(effort)}};
  std::ranges::copy(timing_columns(), std::back_inserter(table.columns));
  if (device) {
    std::ranges::copy(
        results::columns(results::Column("compress_kernels_gb_per_s", "kernels compress GB/s"),
                         results::Column("decompress_kernels_gb_per_s", "kernels decompress GB/s"),
                         "compress_kernels_ms", "compress_transfers_ms", "decompress_kernels_ms",
                         "decompress_transfers_ms", "device"),
        std::back_inserter(table.columns));
    table.notes.emplace_back(
        "Times of kernels and transfers are medians by the device's clock; transfers are between "
        "the host's pageable memory and the device.");
  }
  for (const auto& [input, dimensionality] : inputs) {
    const data::Input singles = input.in(Precision::Single);
    for (const std::size_t size : holt_sizes(singles.bytes().size())) {
      if (progress) progress(fmt::format("{}: {} bytes", input.name(), size));
      results::ThroughputRow m = timing::measure(*codec, "Holt", singles.bytes().first(size), used);
      if (!device) m.threads = std::uint64_t(compressor.threads);
      table.add(input.name(), m.original_bytes, m.compressed_bytes, m.ratio(), 1 / m.ratio(),
                timing_cells(m), device ? device_cells(m, name) : std::vector<Cell>());
    }
  }
  return table;
}

results::Table holt_settings(std::span<const SweepInput> inputs, const timing::Progress& progress) {
  std::vector<HoltParameters> settings;
  for (const std::uint32_t run : {16, 32, 64, 115, 230, 460, 920, 65536}) {
    settings.push_back({0, 0, run});
  }
  for (int k = 5; k < 25; ++k) settings.push_back({k / 5 * 0.25, k % 5 * 0.25});
  results::Table table{.title = "Holt by run and smoothing, single precision",
                       .columns = results::columns(
                           "data_set", "arithmetic", "run", "alpha", "beta",
                           results::Column("compressed_bytes", "compressed"), "ratio",
                           results::Column("compressed_per_original", "compressed / original"))};
  for (const auto& [input, dimensionality] : inputs) {
    if (progress) progress(fmt::format("{}: runs and smoothing", input.name()));
    const data::Input singles = input.in(Precision::Single);
    const double bytes = double(singles.bytes().size());
    for (HoltParameters p : settings) {
      for (const bool floats : {false, true}) {
        p.floats = floats;
        const std::size_t size = encode_holt(singles.bytes(), Precision::Single, p).size();
        table.add(input.name(), floats ? "floats" : "integers", p.run, p.alpha, p.beta, size,
                  bytes / double(size), double(size) / bytes);
      }
    }
  }
  return table;
}

}  // namespace fpsynth::baselines
