// `fpsynth query link`: what compression gains where data are sent.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/queries/pareto.hpp"

namespace fpsynth::results {
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
