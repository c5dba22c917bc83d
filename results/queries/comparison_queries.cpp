#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/documents/means.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

/// Rows of dimensionality() on one side of the limit, in one precision.
struct MpcGroup {
  std::vector<double> mpc, best;
  std::uint64_t ahead = 0;
};

/// The largest n of the components with the family of MPC's first one.
std::uint64_t largest_n(const synth::Space& space) {
  const synth::Component lnv = *synth::parse_component("LNV1s");
  std::uint64_t largest = 0;
  for (const synth::Component component : space.components) {
    if (component.family == lnv.family)
      largest = std::max<std::uint64_t>(largest, component.parameter);
  }
  return largest;
}

Table groups_table(const std::vector<std::pair<Precision, MpcGroup>>& up_to,
                   const std::vector<std::pair<Precision, MpcGroup>>& above, std::uint64_t limit) {
  Table table{
      .title = "MPC and Best by dimensionality",
      .columns = columns("precision", Column("dimensionalities", "dimensionality"), "data_sets",
                         Column("mpc_ahead", "MPC ahead on"), Column("mpc_ratio", "MPC's mean CR"),
                         Column("best_ratio", "Best's mean CR"),
                         Column("mpc_above_best_percent", "MPC above Best %", 2)),
      .notes = {"means are harmonic"}};
  for (std::size_t i = 0; i < up_to.size(); ++i) {
    for (const auto& [text, entry] : {std::pair(fmt::format("1 to {}", limit), up_to[i]),
                                      {fmt::format("above {}", limit), above[i]}}) {
      const auto& [precision, group] = entry;
      std::vector<Cell> figures;
      if (!group.mpc.empty()) {
        const double mpc = harmonic_mean(group.mpc), best = harmonic_mean(group.best);
        figures = cells(mpc, best, 100 * (mpc / best - 1));
      }
      table.add(precision, text, group.mpc.size(), group.ahead, figures);
    }
  }
  return table;
}

}  // namespace

std::vector<Table> dimensionality(const Runs& runs, const std::vector<Measurement>& measured) {
  Table table{.title = "MPC and the one best pipeline for all data sets",
              .columns = columns("data_set", "precision", "dimensionality", "dimensionality_is",
                                 Column("mpc_ratio", "MPC's CR"), Column("best_ratio", "Best's CR"),
                                 Column("mpc_above_best_percent", "MPC above Best %", 2),
                                 Column("own_best_ratio", "its best CR"),
                                 Column("own_best_pipeline", "its best pipeline")),
              .notes = runs.notes()};
  const std::uint64_t limit = largest_n(runs.space());
  std::vector<std::pair<Precision, MpcGroup>> up_to, above;
  for (const Precision precision : kPrecisions) {
    const std::vector<const Document*> documents = runs.of(precision);
    const Means means(documents);
    const auto best = means.best();
    if (!best) continue;
    table.notes.push_back(fmt::format("Best in {} precision: {}, of {} data sets",
                                      to_string(precision), to_string(means.space().at(*best)),
                                      documents.size()));
    up_to.emplace_back(precision, MpcGroup());
    above.emplace_back(precision, MpcGroup());
    for (const Measurement& mpc : measured) {
      if (mpc.compressor != "MPC" || mpc.gpu || mpc.precision != precision) continue;
      const auto found = std::ranges::find_if(
          documents, [&](const Document* document) { return document->data.name == mpc.data_set; });
      if (found == documents.end()) continue;
      const Document& document = **found;
      if (document.data.xxh3 != mpc.xxh3) {
        table.notes.push_back(fmt::format(
            "{}: compared on other values than those searched, and left out", label(document)));
        continue;
      }
      const double ratio = document.ratio(means.id_in(document, *best));
      MpcGroup& group = (mpc.dimensionality > limit ? above : up_to).back().second;
      group.mpc.push_back(mpc.ratio);
      group.best.push_back(ratio);
      group.ahead += mpc.ratio > ratio;
      table.add(document.data.name, precision, mpc.dimensionality, mpc.dimensionality_is, mpc.ratio,
                ratio, 100 * (mpc.ratio / ratio - 1), document.ratio(document.ranking.front()),
                document.text_at(document.ranking.front()));
    }
  }
  std::ranges::stable_sort(table.rows, {},
                           [](const auto& row) { return std::get<std::uint64_t>(row[2]); });
  table.notes.push_back(
      "MPC's ratios are of the whole data, the others of the part that was searched");
  return {table, groups_table(up_to, above, limit)};
}

}  // namespace fpsynth::results
