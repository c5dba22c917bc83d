#include "results/queries/queries.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

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

}  // namespace

Table timed(std::span<const ThroughputDocument> documents) {
  Table table{.title = "Timed compressors",
              .columns = {{"data_set"},
                          {"precision"},
                          {"backend"},
                          {"device"},
                          {"compressor"},
                          {"kind"},
                          {"how"},
                          {"threads"},
                          {"data_sets"},
                          {"input_bytes"},
                          {"ratio", "CR"},
                          {"compress_gb_per_s", "compress GB/s"},
                          {"decompress_gb_per_s", "decompress GB/s"},
                          {"compress_kernels_gb_per_s", "kernels compress GB/s"},
                          {"decompress_kernels_gb_per_s", "kernels decompress GB/s"},
                          {"compress_spread"},
                          {"decompress_spread"},
                          {"compress_kernels_ms"},
                          {"compress_transfers_ms"},
                          {"decompress_kernels_ms"},
                          {"decompress_transfers_ms"}},
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
      const Figure figures[kFigures] = {document.ratio(row),
                                        rate(row.compress.seconds, row.input_bytes),
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

}  // namespace fpsynth::results
