#include "runners/baselines/baseline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "runners/baselines/fpc/compressor.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/mpc/compressor.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::baselines {
namespace {

class TimedOnDevice : public timing::TimedCodec {
 public:
  explicit TimedOnDevice(OnDevice baseline) : baseline_(std::move(baseline)) {}

  timing::Lap compress(std::span<const std::byte> input) override {
    return lap_of([&] { baseline_.encode(input, file_); });
  }
  timing::Lap decompress(std::span<std::byte> output) override {
    return lap_of([&] { baseline_.device->decode_into(file_, "the compressed data", output); });
  }
  std::span<const std::byte> compressed() override { return file_; }

 private:
  template <class Work>
  timing::Lap lap_of(const Work& work) {
    const double seconds = timing::wall_seconds(work);
    const DeviceTimes& times = baseline_.device->times();
    return {seconds, times.kernel, times.to_device + times.to_host};
  }

  OnDevice baseline_;
  std::vector<std::byte> file_;
};

}  // namespace

std::unique_ptr<timing::TimedCodec> timed_on_device(OnDevice baseline) {
  return std::make_unique<TimedOnDevice>(std::move(baseline));
}

void refuse_memory(std::string_view device, std::string_view what, std::size_t needed,
                   std::size_t free) {
  raise<device::DeviceError>(
      "{}: {} needs {} bytes of its memory, but {} are free; end other programs that use the GPU, "
      "or use --backend cpu",
      device, what, needed, free);
}

void refuse_device(std::string_view device, std::string_view file) {
  raise<device::DeviceError>(
      "{}: {} failed to decode it, but the CPU can; this GPU is not reliable, use --backend cpu",
      file, device);
}

OnDevice Baseline::on(const device::DeviceInfo&, synth::Precision) {
  throw std::logic_error("a baseline without code for GPUs");
}

data::Dimensionality Baseline::dimensionality(data::Dimensionality described,
                                              std::span<const std::byte> input,
                                              synth::Precision precision) const {
  if (described.value >= 1 && described.value <= most_dimensionality()) return described;
  return {best_dimensionality(input, precision), data::DimensionalityFrom::Tried};
}

std::uint64_t put(codec::Sink& sink, std::span<const std::byte> bytes) {
  sink.write(bytes);
  return bytes.size();
}

// The lists of baselines, of peers and of all compressors.

std::vector<std::unique_ptr<Baseline>> all_baselines() {
  std::vector<std::unique_ptr<Baseline>> all;
  for (const auto make : {fpc_baseline, pfpc_baseline, gfc_baseline, holt_baseline, mpc_baseline}) {
    all.push_back(make());
  }
  return all;
}

Peers all_peers() {
  struct Library {
    const char *module, *peers;
  };
  static constexpr Library kLibraries[] = {
      {"bzip2", "bzip2"}, {"zlib", "gzip"},   {"lzo", "lzop"}, {"zstd", "zstd"},  {"lz4", "lz4"},
      {"xz", "xz"},       {"fpzip", "fpzip"}, {"zfp", "zfp"},  {"blosc", "blosc"}};
  Peers peers;
  for (const auto [module, names] : kLibraries) {
    try {
      modules::entry<decltype(fpsynth_add_peers)>(module, "fpsynth_add_peers")(peers);
    } catch (const Error& error) {
      peers.missing.push_back({names, error.what()});
    }
  }
  return peers;
}

std::vector<Compressor> all_compressors(const std::function<unsigned(const Baseline&)>& of) {
  std::vector<Compressor> all = {timing::memory_copy()};
  Peers peers = all_peers();
  std::ranges::move(peers.present, std::back_inserter(all));
  for (const auto& baseline : all_baselines()) all.push_back(baseline->compressor(of(*baseline)));
  return all;
}

namespace {

const char* yes_no(bool yes) { return yes ? "yes" : "no"; }

using results::Cell;
using results::ThroughputRow;
using results::Times;

using Measured = std::vector<ThroughputRow>;

/// The harmonic mean of a figure of rows.
double mean(const Measured& measured, auto figure) {
  double inverses = 0;
  for (const ThroughputRow& one : measured) inverses += 1 / figure(one);
  return double(measured.size()) / inverses;
}

/// The mean throughput and the largest spread of one direction.
std::vector<Cell> mean_cells(const Measured& measured, Times ThroughputRow::*direction) {
  std::optional<double> spread;
  for (const ThroughputRow& one : measured) {
    spread = std::max(spread, results::spread((one.*direction).seconds));
  }
  return results::cells(
      mean(measured, [&](const ThroughputRow& one) { return one.gb_per_s(one.*direction); }),
      spread);
}

/// Adds the row of means over data sets, of which all or not all fit.
void add_means(results::Table& table, const std::vector<Cell>& setting, const Measured& measured,
               bool fit) {
  table.add("harmonic mean", setting, Cell(), Cell(),
            mean(measured, [](const ThroughputRow& one) { return one.ratio(); }),
            mean_cells(measured, &ThroughputRow::compress),
            mean_cells(measured, &ThroughputRow::decompress), Cell(), Cell(), measured.size(),
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

std::vector<Cell> timing_cells(const ThroughputRow& row) {
  return results::cells(row.gb_per_s(row.compress), results::spread(row.compress.seconds),
                        row.gb_per_s(row.decompress), results::spread(row.decompress.seconds),
                        row.input_bytes, row.threads);
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
      const ThroughputRow m =
          timing::measure(compressor, doubles.bytes(), synth::Precision::Double, effort);
      table.add(from.input.name(), settings.cells(i, &from), m.original_bytes, m.compressed_bytes,
                m.ratio(), timing_cells(m), 1u, yes_no(settings.fits(i, from)));
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
