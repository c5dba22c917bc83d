#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "results/queries/queries.hpp"
#include "synth/common/json.hpp"
#include "synth/parsing.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::results {
namespace {

/// A pipeline's text without NULs, which change nothing. Equivalent pipelines have the same text.
std::string plain_text(const synth::Pipeline& pipeline) {
  return to_string(synth::without_identities(pipeline));
}

double speed_of(const Times& times, std::uint64_t bytes) {
  return gb_per_s(times.kernel_seconds.empty() ? times.seconds : times.kernel_seconds, bytes);
}

/// Points of one compressor have the same key.
std::string key_of(const ParetoPoint& point) {
  const bool generated = point.how == "generated";
  return fmt::format("{}{}{}", point.kind == "pipeline" ? "" : "other ",
                     generated ? "generated " : "", point.name);
}

ParetoPoint point_of(const ThroughputRow& row) {
  return {row.kind == "pipeline" ? plain_text(synth::parse_pipeline(row.pipeline)) : row.name,
          row.kind,
          row.how,
          row.threads,
          row.ratio(),
          speed_of(row.compress, row.input_bytes),
          speed_of(row.decompress, row.input_bytes)};
}

}  // namespace

std::vector<std::size_t> pareto_front(std::span<const ParetoPoint> points, Direction direction) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (points[a].ratio != points[b].ratio) return points[a].ratio > points[b].ratio;
    return points[a].speed(direction) > points[b].speed(direction);
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (front.empty() || points[i].speed(direction) > points[front.back()].speed(direction)) {
      front.push_back(i);
    }
  }
  return front;
}

std::vector<ParetoPoint> pareto_points(const ParetoSet& set, ThreadLimit limit) {
  std::vector<ParetoPoint> points;
  std::unordered_map<std::string, std::size_t> places;  // in `points`, by key_of()
  for (const auto* rows : {&set.compared, &set.throughput.rows}) {
    for (const ThroughputRow& row : *rows) {
      if (limit == ThreadLimit::One && row.threads != 1) continue;
      ParetoPoint point = point_of(row);
      const auto [found, fresh] = places.emplace(key_of(point), points.size());
      if (fresh) {
        points.push_back(std::move(point));
      } else if (points[found->second].threads <= point.threads) {
        points[found->second] = std::move(point);
      }
    }
  }
  return points;
}

std::vector<ParetoPoint> combined_points(const std::vector<std::vector<ParetoPoint>>& sets,
                                         const std::vector<std::uint64_t>& bytes) {
  if (sets.size() == 1) return sets.front();
  struct Sum {
    std::size_t sets = 0;
    double cost = 0, compress = 0, decompress = 0;
  };
  std::unordered_map<std::string, Sum> sums;
  std::vector<ParetoPoint> combined;
  if (sets.empty()) return combined;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto gigabytes = static_cast<double>(bytes[i]) / 1e9;
    for (const ParetoPoint& point : sets[i]) {
      if (!(point.ratio > 0 && point.compress > 0 && point.decompress > 0)) continue;
      const std::string key = key_of(point);
      Sum& sum = sums[key];
      ++sum.sets;
      sum.cost += 1 / point.ratio;
      sum.compress += gigabytes / point.compress;
      sum.decompress += gigabytes / point.decompress;
    }
  }
  const double all =
      static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})) / 1e9;
  for (const ParetoPoint& point : sets.front()) {
    const std::string key = key_of(point);
    const auto found = sums.find(key);
    if (found == sums.end() || found->second.sets != sets.size()) continue;
    const Sum& sum = found->second;
    combined.push_back({point.name, point.kind, point.how, point.threads,
                        double(sets.size()) / sum.cost, all / sum.compress, all / sum.decompress});
  }
  return combined;
}

std::vector<ThroughputRow> compared_rows(const std::filesystem::path& file,
                                         const ThroughputDocument& throughput,
                                         std::vector<std::string>& notes) {
  const JsonFile json = JsonFile::read(file, JsonAuthor::Program);
  const Comparison comparison = read_comparison(json.root());
  std::vector<ThroughputRow> rows;
  if (comparison.cpu != throughput.run.device) {
    notes.push_back(fmt::format("{} is left out, because it was measured on another machine ({})",
                                file.string(), comparison.cpu));
    return rows;
  }
  for (const ComparedSet& set : comparison.sets) {
    if (set.xxh3 != throughput.data.xxh3 || set.precision != throughput.data.precision) continue;
    for (const ComparedRow& row : set.rows) {
      if (!row.verified) continue;
      ThroughputRow& timed = rows.emplace_back(row);
      timed.how = "library";
      timed.kind = row.name == "memcpy" ? "copy" : "compared";
      if (row.pipeline.empty()) continue;
      try {
        synth::parse_pipeline(row.pipeline);
        timed.kind = "pipeline";
      } catch (const synth::ParseError&) {  // a method with a prelude, or sections
      }
    }
  }
  return rows;
}

namespace {

void append_set_notes(Table& table, const std::vector<ParetoSet>& sets) {
  std::map<std::string, std::vector<std::string>> devices;  // names of data sets
  bool kernels = false;
  for (const ParetoSet& set : sets) {
    const ThroughputDocument& document = set.throughput;
    devices[fmt::format("{}, {}", document.run.device, document.run.instruction_set)].push_back(
        document.data.name);
    for (const ThroughputRow& row : document.rows) kernels |= !row.compress.kernel_seconds.empty();
  }
  for (const auto& [device, names] : devices) {
    table.notes.push_back(
        devices.size() == 1 ? device : fmt::format("{}: {}", fmt::join(names, ", "), device));
  }
  if (devices.size() > 1) {
    table.notes.push_back(
        "the data sets were timed on different devices, so their speeds are not comparable");
  }
  if (kernels) table.notes.push_back("speeds on a GPU are those of its kernels, without transfers");
  if (sets.size() > 1) {
    table.notes.push_back(fmt::format(
        "over {} data sets: harmonic mean of the ratios; speed is total bytes / total time",
        sets.size()));
  }
}

/// For every point: "yes" on the front, "of pipelines" on the front of these alone, or "no".
std::vector<std::string> front_labels(const std::vector<ParetoPoint>& points, Direction direction) {
  std::vector<std::string> labels(points.size(), "no");
  std::vector<ParetoPoint> pipelines;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].kind != "pipeline") continue;
    pipelines.push_back(points[i]);
    indices.push_back(i);
  }
  for (const std::size_t i : pareto_front(pipelines, direction)) {
    labels[indices[i]] = "of pipelines";
  }
  for (const std::size_t i : pareto_front(points, direction)) labels[i] = "yes";
  return labels;
}

Table table_of(const std::vector<ParetoSet>& sets, const std::vector<ParetoPoint>& points,
               Direction direction, ThreadLimit limit) {
  const std::string speed = fmt::format("{}ion", to_string(direction));
  Table table = points_table(sets, limit, fmt::format("ratio against {} speed", speed));
  table.columns.emplace_back("front");
  table.all.insert(table.all.end() - 1, {{"speed"}, speed});
  const std::vector<std::string> labels = front_labels(points, direction);
  std::vector<std::size_t> listed(points.size());
  std::iota(listed.begin(), listed.end(), std::size_t{0});
  std::ranges::stable_sort(listed, [&](std::size_t a, std::size_t b) {
    if (points[a].ratio != points[b].ratio) return points[a].ratio > points[b].ratio;
    return points[a].speed(direction) < points[b].speed(direction);
  });
  for (const std::size_t i : listed) table.add(cells_of(points[i]), labels[i]);
  return table;
}

}  // namespace

Table points_table(const std::vector<ParetoSet>& sets, ThreadLimit limit,
                   const std::string& about) {
  const ThroughputDocument& first = sets.front().throughput;
  const std::string what =
      sets.size() == 1 ? first.data.name : fmt::format("{} data sets", sets.size());
  const std::string threads = limit == ThreadLimit::One ? "one" : "all",
                    precision(synth::to_string(first.data.precision));
  Table table{
      .title = fmt::format("{} ({}), {}: {}, {} thread{}", what, precision, first.run.backend,
                           about, threads, limit == ThreadLimit::One ? "" : "s"),
      .columns = columns("compressor", "kind", "how", "threads", Column("ratio", "CR"),
                         Column("compress_gb_per_s", "compress GB/s"),
                         Column("decompress_gb_per_s", "decompress GB/s")),
      .all = {{{"data_set"}, what},
              {{"precision"}, precision},
              {{"backend"}, first.run.backend},
              {{"thread_limit"}, threads}}};
  append_set_notes(table, sets);
  return table;
}

std::vector<Cell> cells_of(const ParetoPoint& point) {
  return cells(point.name, point.kind, point.how, point.threads, point.ratio, point.compress,
               point.decompress);
}

std::vector<LimitedPoints> limited_points(const std::vector<ParetoSet>& sets) {
  std::vector<LimitedPoints> found;
  bool threads = false;
  std::vector<std::uint64_t> bytes;
  for (const ParetoSet& set : sets) {
    bytes.push_back(set.throughput.data.bytes);
    threads |= set.throughput.run.threads > 1 && set.throughput.run.backend == "cpu";
  }
  for (const ThreadLimit limit : {ThreadLimit::One, ThreadLimit::None}) {
    if (limit == ThreadLimit::None && !threads) continue;
    std::vector<std::vector<ParetoPoint>> each;
    for (const ParetoSet& set : sets) each.push_back(pareto_points(set, limit));
    found.push_back({limit, combined_points(each, bytes)});
  }
  return found;
}

std::vector<Table> pareto(const std::vector<ParetoSet>& sets, double at_least,
                          const std::vector<std::string>& notes) {
  std::vector<Table> tables;
  for (auto& [limit, points] : limited_points(sets)) {
    std::erase_if(points, [&](const ParetoPoint& point) {
      return std::min(point.compress, point.decompress) < at_least;
    });
    for (const Direction direction : kDirections) {
      tables.push_back(table_of(sets, points, direction, limit));
      if (at_least > 0) {
        tables.back().notes.push_back(fmt::format(
            "only what was timed at {} GB/s or more in both directions; `fpsynth bench pipelines "
            "--top K` times more pipelines",
            at_least));
      }
      tables.back().notes.insert(tables.back().notes.end(), notes.begin(), notes.end());
    }
  }
  return tables;
}

// The gain of compression where data are sent.

namespace {

constexpr double kGbitPerGb = 8;

/// One compressor at one link.
struct Sending {
  const ParetoPoint* point;
  double streamed, whole;                             ///< GB/s of original data
  std::optional<double> streamed_below, whole_below;  ///< GB/s below which compressing pays
  const char* bound;                                  ///< the slowest part when streamed

  Sending(const ParetoPoint& of, double link) : point(&of) {
    const double sent = of.ratio * link;
    streamed = std::min({of.compress, sent, of.decompress});
    bound = streamed == sent ? "link" : streamed == of.compress ? "compress" : "decompress";
    const double coding = 1 / of.compress + 1 / of.decompress;
    whole = 1 / (coding + 1 / sent);
    if (of.ratio <= 1) return;
    streamed_below = std::min(of.compress, of.decompress);
    whole_below = (1 - 1 / of.ratio) / coding;
  }
};

/// The fastest first, of equally fast ones the one that leaves most of the link to others.
std::vector<Sending> in_order(const std::vector<ParetoPoint>& points, double link) {
  std::vector<Sending> found;
  for (const ParetoPoint& point : points) {
    if (point.kind != "copy" && point.compress > 0 && point.decompress > 0) {
      found.emplace_back(point, link);
    }
  }
  std::ranges::stable_sort(found, [](const Sending& a, const Sending& b) {
    return a.streamed != b.streamed ? a.streamed > b.streamed : a.point->ratio > b.point->ratio;
  });
  return found;
}

}  // namespace

std::vector<Table> link(const std::vector<ParetoSet>& sets, double gbit_per_s,
                        const std::vector<std::string>& notes) {
  const double link = gbit_per_s / kGbitPerGb;
  std::vector<Table> tables;
  for (const auto& [limit, points] : limited_points(sets)) {
    Table& table = tables.emplace_back(
        points_table(sets, limit, fmt::format("over a link of {} Gbit/s", gbit_per_s)));
    table.columns.insert(table.columns.end(),
                         {{"streamed_gb_per_s", "streamed GB/s"},
                          {"bound"},
                          {"whole_gb_per_s", "whole GB/s"},
                          {"streamed_below_gbit_per_s", "streamed pays below Gbit/s", 1},
                          {"whole_below_gbit_per_s", "whole pays below Gbit/s", 1}});
    table.all.emplace_back("link_gbit_per_s", gbit_per_s);
    for (const Sending& one : in_order(points, link)) {
      table.add(cells_of(*one.point), one.streamed, one.bound, one.whole,
                cell(one.streamed_below, kGbitPerGb), cell(one.whole_below, kGbitPerGb));
    }
    table.notes.push_back(
        fmt::format("without compression, {:.3f} GB/s of the data arrive. streamed: compressed, "
                    "sent and decompressed at the same time, so that the slowest part decides; "
                    "whole: one after the other",
                    link));
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  return tables;
}

}  // namespace fpsynth::results
