#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/documents/means.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

/// Mean, rank and percent of the best mean of a pipeline; empty cells if it failed on a data set,
/// is not among those that all data sets have, or nothing was searched.
std::vector<Cell> mean_cells(const Means& means, const synth::Pipeline& pipeline) {
  const auto id = means.find(pipeline);
  if (!id) return std::vector<Cell>(3);
  const std::vector<double>& costs = means.costs();
  return cells(means.ratio(*id), means.count_better(*id) + 1,
               100 * *std::ranges::min_element(costs) / costs[*id]);
}

/// Rows of dimensionality() on one side of the limit, in one precision.
struct Group {
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

Table groups_table(const std::vector<std::pair<Precision, Group>>& up_to,
                   const std::vector<std::pair<Precision, Group>>& above, std::uint64_t limit) {
  Table table{.title = "MPC and Best by dimensionality",
              .columns = {{"precision"},
                          {"dimensionalities", "dimensionality"},
                          {"data_sets"},
                          {"mpc_ahead", "MPC ahead on"},
                          {"mpc_ratio", "MPC's mean CR"},
                          {"best_ratio", "Best's mean CR"},
                          {"mpc_above_best_percent", "MPC above Best %", 2}},
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

std::vector<Table> common(const Runs& runs) {
  Table table{.title = "One pipeline for both precisions",
              .columns = {{"what"},
                          {"id"},
                          {"pipeline"},
                          {"double_ratio", "double mean CR"},
                          {"double_rank"},
                          {"double_percent_of_best", "% of best", 2},
                          {"single_ratio", "single mean CR"},
                          {"single_rank"},
                          {"single_percent_of_best", "% of best", 2},
                          {"both_ratio", "mean CR over both"},
                          {"both_rank"},
                          {"both_percent_of_best", "% of best", 2}},
              .notes = runs.notes()};
  const Means means[] = {Means(runs.of(Precision::Double)), Means(runs.of(Precision::Single)),
                         Means(runs.searched())};
  const std::string_view names[] = {"best in double", "best in single", kOverBoth};
  for (std::size_t i = 0; i < std::size(means); ++i) {
    const auto id = means[i].best();
    if (!id) continue;
    const synth::Pipeline pipeline = means[i].space().at(*id);
    std::vector<Cell> figures;
    for (const Means& its : means) append(figures, mean_cells(its, pipeline));
    table.add(names[i], whole_id(means[i].space(), *id), to_string(pipeline), figures);
  }
  table.notes.push_back(fmt::format(
      "means are harmonic, over {} data sets in double and {} in single precision; over "
      "both, each data set in each precision counts once",
      runs.of(Precision::Double).size(), runs.of(Precision::Single).size()));
  return {table};
}

std::vector<Table> dimensionality(const Runs& runs, const std::vector<Measurement>& measured) {
  Table table{.title = "MPC and the one best pipeline for all data sets",
              .columns = {{"data_set"},
                          {"precision"},
                          {"dimensionality"},
                          {"dimensionality_is"},
                          {"mpc_ratio", "MPC's CR"},
                          {"best_ratio", "Best's CR"},
                          {"mpc_above_best_percent", "MPC above Best %", 2},
                          {"own_best_ratio", "its best CR"},
                          {"own_best_pipeline", "its best pipeline"}},
              .notes = runs.notes()};
  const std::uint64_t limit = largest_n(runs.space());
  std::vector<std::pair<Precision, Group>> up_to, above;
  for (const Precision precision : kPrecisions) {
    const std::vector<const Document*> documents = runs.of(precision);
    const Means means(documents);
    const auto best = means.best();
    if (!best) continue;
    table.notes.push_back(fmt::format("Best in {} precision: {}, of {} data sets",
                                      to_string(precision), to_string(means.space().at(*best)),
                                      documents.size()));
    up_to.emplace_back(precision, Group());
    above.emplace_back(precision, Group());
    for (const Measurement& mpc : measured) {
      if (mpc.compressor != "MPC" || mpc.gpu || mpc.precision != precision) continue;
      const auto found = std::ranges::find_if(
          documents, [&](const Document* document) { return document->data.name == mpc.data_set; });
      if (found == documents.end()) continue;
      const Document& document = **found;
      if (document.data.xxh3 != mpc.xxh3) {
        table.notes.push_back(
            fmt::format("{}: compared on other values than those searched, and "
                        "left out",
                        label(document)));
        continue;
      }
      const double ratio = document.ratio(means.id_in(document, *best));
      Group& group = (mpc.dimensionality > limit ? above : up_to).back().second;
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
