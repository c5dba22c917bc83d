#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "results/queries/papers/published.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

using Figure = std::optional<double>;

Figure rate(const std::vector<double>& seconds, std::uint64_t bytes) {
  if (seconds.empty()) return std::nullopt;
  return gb_per_s(seconds, bytes);
}

Figure milliseconds(const std::vector<double>& seconds) {
  if (seconds.empty()) return std::nullopt;
  return 1000 * median(seconds);
}

/// Computes the mean of figures over data sets; it has no value if one of the figures is missing.
class Rates {
 public:
  void add(const Figure& figure) {
    ++count_;
    if (!figure || *figure <= 0) {
      complete_ = false;
      return;
    }
    sum_ += *figure;
    inverses_ += 1 / *figure;
  }
  Figure mean(bool harmonic) const {
    if (!complete_ || count_ == 0) return std::nullopt;
    return harmonic ? count_ / inverses_ : sum_ / count_;
  }

 private:
  double count_ = 0, sum_ = 0, inverses_ = 0;
  bool complete_ = true;
};

/// The number of averaged figures. In the order of their columns: ratio, wall GB/s, kernels' GB/s.
constexpr std::size_t kFigures = 5;

/// The rows of a compressor for the data sets of one precision on one device.
struct TimedGroup {
  std::string backend, device, precision;
  const ThroughputRow* row = nullptr;  ///< one of the rows
  std::set<std::string> sets;
  Rates rates[kFigures];
};

std::vector<Cell> cells_of(const std::string& data_set, const TimedGroup& group, const Cell& bytes,
                           std::uint64_t sets, const Figure (&figures)[kFigures]) {
  std::vector<Cell> row =
      cells(data_set, group.precision, group.backend, group.device, group.row->name,
            group.row->kind, group.row->how, group.row->threads, sets, bytes);
  for (const Figure& figure : figures) append(row, figure);
  return row;
}

bool has_kernels(const ThroughputDocument& document) {
  return std::ranges::any_of(
      document.rows, [](const ThroughputRow& row) { return !row.compress.kernel_seconds.empty(); });
}

std::vector<Cell> timing_cells(const Times& times, std::uint64_t bytes, bool kernels) {
  auto all = cells(gb_per_s(times.seconds, bytes), cell(spread(times.seconds), 100));
  const bool has_them = !times.kernel_seconds.empty();
  if (kernels) {
    all.push_back(has_them ? Cell(gb_per_s(times.kernel_seconds, bytes)) : Cell());
  }
  return all;
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void append_run_notes(Table& table, const ThroughputDocument& document) {
  const ThroughputRun& run = document.run;
  table.notes.push_back(
      fmt::format("{}, {}; medians of {} from memory to memory, every round trip verified; spread "
                  "is longest less shortest, of the median",
                  run.device, run.instruction_set, counted(run.repetitions, "repetition")));
  std::string input = fmt::format("{} of input", mebibytes(run.input_bytes));
  if (run.copies > 1) {
    input += fmt::format(": the whole chunks of the data set's {}, {} times",
                         mebibytes(document.data.bytes), run.copies);
  }
  if (run.cache_bytes > 0)
    input += fmt::format("; last level of cache {}", mebibytes(run.cache_bytes));
  table.notes.push_back(std::move(input));
}

Table table_of(const ThroughputDocument& document, bool kernels) {
  Table table{.title = fmt::format("{} ({}): throughput in GB/s", document.data.name,
                                   synth::to_string(document.data.precision)),
              .columns = {{"compressor"}, {"how"}, {"threads"}, {"ratio", "CR"}},
              .all = {{{"data_set"}, document.data.name},
                      {{"precision"}, std::string(to_string(document.data.precision))}}};
  for (const std::string direction : {"compress", "decompress"}) {
    table.columns.push_back({direction + "_gb_per_s", direction});
    table.columns.push_back(
        {direction + "_spread_percent", direction == "compress" ? "spread %" : "its spread %", 0});
    if (kernels) {
      table.columns.push_back({direction + "_kernels_gb_per_s", direction + " kernels"});
    }
  }
  for (const ThroughputRow& row : document.rows) {
    table.add(row.name, row.how, row.threads, row.ratio(),
              timing_cells(row.compress, row.input_bytes, kernels),
              timing_cells(row.decompress, row.input_bytes, kernels));
  }
  append_run_notes(table, document);
  table.notes.insert(table.notes.end(), document.notes.begin(), document.notes.end());
  return table;
}

std::vector<const ComparedSet*> sets_of(const Comparison& comparison, synth::Precision precision) {
  std::vector<const ComparedSet*> sets;
  for (const ComparedSet& set : comparison.sets) {
    if (set.precision == precision) sets.push_back(&set);
  }
  return sets;
}

Table ratio_table(const Comparison& comparison, synth::Precision precision,
                  const std::vector<ComparedMeans>& all) {
  const auto sets = sets_of(comparison, precision);
  Table table{.title = fmt::format("Compression ratios, {} precision", to_string(precision)),
              .columns = {{"compressor"}}};
  if (sets.size() > 1) {  // a mean of one says nothing new
    table.columns.push_back({"harmonic_mean", std::string(kHarmonicMean)});
  }
  for (const ComparedSet* set : sets) table.columns.push_back({set->name, set->name});
  for (const ComparedMeans& means : all) {
    auto& row = table.rows.emplace_back(cells(means.compressor));
    // A mean over some of the sets cannot be compared with the others.
    if (sets.size() > 1) {
      row.push_back(means.ratios.size() == sets.size() ? Cell(means.ratio()) : Cell());
    }
    for (const ComparedSet* set : sets) {
      const auto found = means.ratios.find(set->name);
      row.push_back(found != means.ratios.end() ? Cell(found->second) : Cell());
    }
  }
  for (const ComparedSet* set : sets) {
    table.notes.push_back(fmt::format("{}: dimensionality {}, {}", set->name, set->dimensionality,
                                      set->dimensionality_is));
    for (const ComparedRow& row : set->rows) {
      if (row.dimensionality > 0 && row.name != "MPC") {
        table.notes.push_back(fmt::format("{}: {} has dimensionality {}, {}", set->name, row.name,
                                          row.dimensionality, row.dimensionality_is));
      }
      if (!row.pipeline.empty()) {
        table.notes.push_back(fmt::format("{}: {} is {}", set->name, row.name, row.pipeline));
      }
      for (const std::string& why : {row.refused, row.failure}) {
        if (!why.empty()) {
          table.notes.push_back(fmt::format("{}: {}: {}", set->name, row.name, why));
        }
      }
    }
  }
  return table;
}

Table speed_table(const Comparison& comparison, synth::Precision precision,
                  const std::vector<ComparedMeans>& all) {
  Table table{.title = fmt::format("Throughput in GB/s, {} precision", to_string(precision)),
              .columns = columns("compressor", "threads", Column("compress_gb_per_s", "compress"),
                                 Column("compress_spread_percent", "spread %", 0),
                                 Column("decompress_gb_per_s", "decompress"),
                                 Column("decompress_spread_percent", "its spread %", 0), "library"),
              .notes = {fmt::format("medians of {}, averaged over the data sets; the spread is "
                                    "longest less shortest, of the median, on the worst data set",
                                    counted(comparison.repetitions, "repetition")),
                        fmt::format("{}; {} at most", comparison.cpu,
                                    counted(comparison.machine_threads, "thread"))}};
  for (const ComparedMeans& means : all) {
    table.add(means.compressor, means.threads, means.compress.arithmetic,
              cell(means.compress.spread, 100), means.decompress.arithmetic,
              cell(means.decompress.spread, 100), means.library);
  }
  return table;
}

}  // namespace

Table timed(std::span<const ThroughputDocument> documents) {
  Table table{.title = "Timed compressors",
              .columns = columns(
                  "data_set", "precision", "backend", "device", "compressor", "kind", "how",
                  "threads", "data_sets", "input_bytes", Column("ratio", "CR"),
                  Column("compress_gb_per_s", "compress GB/s"),
                  Column("decompress_gb_per_s", "decompress GB/s"),
                  Column("compress_kernels_gb_per_s", "kernels compress GB/s"),
                  Column("decompress_kernels_gb_per_s", "kernels decompress GB/s"),
                  "compress_spread", "decompress_spread", "compress_kernels_ms",
                  "compress_transfers_ms", "decompress_kernels_ms", "decompress_transfers_ms"),
              .notes = {"GB/s are 1e9 original bytes per second at the median of the repetitions. "
                        "Wall time is from host memory to host memory, which includes a GPU's "
                        "transfers; kernels are without them. spread is (slowest - fastest) / "
                        "median of the wall time. Milliseconds are medians for all input bytes."}};
  using Platform = std::tuple<std::string, std::string, std::string>;  // precision, backend, device
  std::map<Platform, std::set<std::string>> all_sets;
  std::vector<TimedGroup> groups;
  for (const ThroughputDocument& document : documents) {
    const std::string precision(to_string(document.data.precision));
    all_sets[{precision, document.run.backend, document.run.device}].insert(document.data.name);
    for (const ThroughputRow& row : document.rows) {
      const auto same = [&](const TimedGroup& group) {
        return group.precision == precision && group.backend == document.run.backend &&
               group.device == document.run.device && group.row->name == row.name &&
               group.row->how == row.how && group.row->threads == row.threads;
      };
      auto group = std::ranges::find_if(groups, same);
      if (group == groups.end()) {
        groups.push_back({document.run.backend, document.run.device, precision, &row, {}, {}});
        group = groups.end() - 1;
      }
      const Figure figures[kFigures] = {row.ratio(), rate(row.compress.seconds, row.input_bytes),
                                        rate(row.decompress.seconds, row.input_bytes),
                                        rate(row.compress.kernel_seconds, row.input_bytes),
                                        rate(row.decompress.kernel_seconds, row.input_bytes)};
      group->sets.insert(document.data.name);
      for (std::size_t i = 0; i < kFigures; ++i) group->rates[i].add(figures[i]);
      table.add(cells_of(document.data.name, *group, row.input_bytes, 1, figures),
                spread(row.compress.seconds), spread(row.decompress.seconds),
                milliseconds(row.compress.kernel_seconds),
                milliseconds(row.compress.transfer_seconds),
                milliseconds(row.decompress.kernel_seconds),
                milliseconds(row.decompress.transfer_seconds));
    }
  }
  for (const bool harmonic : {true, false}) {
    for (const TimedGroup& group : groups) {
      const auto& of = all_sets[{group.precision, group.backend, group.device}];
      if (of.size() < 2 || group.sets != of) continue;
      Figure figures[kFigures] = {group.rates[0].mean(true)};
      for (std::size_t i = 1; i < kFigures; ++i) figures[i] = group.rates[i].mean(harmonic);
      table.add(cells_of(harmonic ? "harmonic mean" : "mean", group, {}, of.size(), figures));
    }
  }
  return table;
}

std::vector<Table> throughputs(const std::vector<ThroughputDocument>& documents, bool csv) {
  const bool kernels = csv && std::ranges::any_of(documents, has_kernels);
  std::vector<Table> tables;
  for (const ThroughputDocument& document : documents) {
    tables.push_back(table_of(document, kernels || has_kernels(document)));
  }
  return tables;
}

std::vector<Table> compared(const Comparison& comparison) {
  std::vector<Table> tables;
  for (const synth::Precision precision : synth::kPrecisions) {
    const auto all = comparison.means(precision);
    if (sets_of(comparison, precision).empty()) continue;
    const auto add = [&](Table table) {
      table.all = {{{"precision"}, std::string(to_string(precision))}};
      tables.push_back(std::move(table));
    };
    add(ratio_table(comparison, precision, all));
    add(speed_table(comparison, precision, all));
  }
  if (tables.empty()) return tables;
  for (const auto& peer : comparison.missing) {
    tables.front().notes.push_back(fmt::format("without {}: {}", peer.compressor, peer.reason));
  }
  for (const std::string& note : comparison.notes) tables.front().notes.push_back(note);
  return tables;
}

}  // namespace fpsynth::results
