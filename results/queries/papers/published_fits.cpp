// Fits of what the MPC paper does not print of its pipelines to the ratios that it prints: cuts,
// and the dimensionalities that MPC was told.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "results/documents/means.hpp"
#include "results/queries/papers/published.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

using synth::Pipeline;
using synth::Precision;

/// Files of the paper's programs have other headers than ours, so that equal pipelines may differ.
constexpr double kNearPercent = 1;
constexpr unsigned kMostOfLnv = 64;

bool is_best(const Published& figure) { return figure.table == "II"; }

/// All that the figure may be of: the pipeline with any cut, or MPC with any dimensionality.
std::vector<Pipeline> candidates(const Published& figure) {
  std::vector<Pipeline> found;
  if (!is_best(figure)) {
    for (unsigned d = 1; d <= kMostOfLnv; ++d) {
      found.push_back(synth::parse_pipeline(fmt::format("LNV{}s BIT LNV1s ZE", d)));
    }
    return found;
  }
  Pipeline pipeline = figure.pipeline();
  for (pipeline.cut = 0; pipeline.cut <= pipeline.stages.size(); ++pipeline.cut) {
    found.push_back(pipeline);
  }
  return found;
}

struct Fit {
  Pipeline pipeline;
  double ratio = 0;
};

/// The candidates that were searched, the nearest first.
std::vector<Fit> fits(const Published& figure, const Means& means) {
  std::vector<Fit> found;
  for (const Pipeline& one : candidates(figure)) {
    if (const auto id = means.find(one)) found.push_back({one, means.ratio(*id)});
  }
  std::ranges::stable_sort(found, {},
                           [&](const Fit& fit) { return std::abs(fit.ratio - figure.value); });
  return found;
}

std::string printed(double ratio) { return fmt::format("{:.3f}", ratio); }

/// The verdict, and the number of fits that it speaks of.
std::pair<std::string_view, std::size_t> verdict(const Published& figure,
                                                 const std::vector<Fit>& by_distance) {
  const auto count = [&](const auto& is) {
    return std::size_t(std::ranges::count_if(by_distance, is, &Fit::ratio));
  };
  const std::size_t equal =
      count([&](double ratio) { return printed(ratio) == printed(figure.value); });
  if (equal > 0) return {equal == 1 ? "equal to the printed digits" : "several equal", equal};
  const std::size_t near = count([&](double ratio) {
    return std::abs(difference_percent(ratio, figure.value)) <= kNearPercent;
  });
  return {near == 0 ? "nothing fits" : near == 1 ? "one is near" : "several near", near};
}

/// "2, known" or "cut 3, measured".
std::string recorded(const Published& figure, const RecordedDimensionalities& dimensionalities) {
  if (is_best(figure)) {
    if (!figure.cut_known) return "cut lost";
    return fmt::format("cut {}, {}", figure.pipeline().cut,
                       figure.cut_inferred ? "inferred from the text" : "measured");
  }
  const auto found = dimensionalities.find(figure.data_set);
  return found == dimensionalities.end() ? "no d" : fmt::format("d {}", found->second);
}

/// The document of a figure's data; null if they were not searched.
const Document* searched(const Published& figure, const Runs& runs,
                         const PublishedFigures& published) {
  for (const Document* document : runs.of(figure.precision)) {
    if (published.papers_name(document->data) == figure.data_set) return document;
  }
  return nullptr;
}

}  // namespace

Table published_fits(const Runs& runs, const PublishedFigures& published,
                     const RecordedDimensionalities& dimensionalities) {
  Table table{
      .title = "What fits the ratios that the MPC paper prints",
      .columns = columns(
          "data_set", "precision", "table", Column("paper_pipeline", "paper's pipeline"),
          "recorded", Column("paper_ratio", "paper's CR"), "verdict",
          Column("nearest_ratio", "nearest CR"), Column("difference_percent", "difference %", 2),
          Column("nearest_pipeline", "nearest"), Column("others", "others that fit")),
      .notes = runs.notes()};
  std::map<std::string, std::set<std::string_view>> without;  // precisions by data set
  for (const Published& figure : published.figures()) {
    const bool of_mpc = figure.compressor == "MPC" && figure.quantity == kRatio;
    if (figure.paper != "mpc" || figure.data_set == kHarmonicMean) continue;
    if (!is_best(figure) && !of_mpc) continue;
    const Document* document = searched(figure, runs, published);
    if (!document) {
      without[figure.data_set].insert(to_string(figure.precision));
      continue;
    }
    const std::vector<Fit> found = fits(figure, Means({document}));
    const auto [says, count] = verdict(figure, found);
    std::vector<Cell> nearest(3);
    std::vector<std::string> others;
    if (!found.empty()) {
      const double ratio = found.front().ratio;
      nearest =
          cells(ratio, difference_percent(ratio, figure.value), to_string(found.front().pipeline));
    }
    for (std::size_t i = 1; i < count; ++i) {
      others.push_back(fmt::format("{} {}", to_string(found[i].pipeline), printed(found[i].ratio)));
    }
    table.add(figure.data_set, figure.precision, figure.table,
              is_best(figure) ? figure.parameters : "LNV*s BIT LNV1s ZE",
              recorded(figure, dimensionalities), figure.value, says, nearest,
              others.empty() ? Cell() : Cell(joined(others, "; ")));
  }
  table.notes.push_back(
      fmt::format("Table II: the pipeline with each cut; III and IV: MPC with each d of which the "
                  "space has the "
                  "LNV; near: within {} %",
                  kNearPercent));
  const auto name_of = [](const auto& one) {
    const auto& [set, precisions] = one;
    return precisions.size() == std::size(kPaperPrecisions)
               ? set
               : fmt::format("{} ({})", set, *precisions.begin());
  };
  if (!without.empty()) table.notes.push_back("without a run: " + joined(without, ", ", name_of));
  table.notes.emplace_back(kPapersData);
  table.notes.push_back(published.citation("mpc"));
  return table;
}

}  // namespace fpsynth::results
