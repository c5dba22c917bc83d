#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "results/documents/means.hpp"
#include "results/queries/tallies.hpp"

namespace fpsynth::results {
namespace {

bool identity(synth::Component component) { return synth::family(component.family).identity; }

/// The number of stages of each pipeline of a whole space without NULs.
std::vector<std::uint8_t> effective_stages(const synth::Space& space) {
  // An id divided by the base repeatedly yields the stages from the last to the first.
  std::vector<std::uint8_t> stages(space.size());
  const std::size_t base = space.components.size(), lasts = space.last.size();
  for (std::uint64_t id = 0; id < stages.size(); ++id) {
    std::uint64_t rest = id / lasts;
    unsigned count = space.stages;
    for (unsigned stage = 1; stage < space.stages; ++stage) {
      count -= identity(space.components[rest % base]);
      rest /= base;
    }
    stages[id] = static_cast<std::uint8_t>(count);
  }
  return stages;
}

/// Highest ratio with at most 1, 2, ... stages; 0 if no pipeline has so few.
using ByStages = std::array<double, synth::kMaxStages>;

ByStages best_by_stages(const Document& document, const std::vector<std::uint8_t>& effective) {
  ByStages ratios{};
  unsigned limit = document.space.stages;  // ratios[limit - 1] is the next to be set
  for (const std::uint64_t id : document.ranking) {
    const unsigned stages = effective[id % effective.size()];  // a prelude counts as none
    for (; limit > 0 && stages <= limit; --limit) ratios[limit - 1] = document.ratio(id);
    if (limit == 0) break;
  }
  return ratios;
}

ByStages best_by_stages(const std::vector<double>& costs,
                        const std::vector<std::uint8_t>& effective, unsigned stages) {
  std::array<double, synth::kMaxStages> least;
  least.fill(std::numeric_limits<double>::infinity());
  for (std::uint64_t id = 0; id < costs.size(); ++id) {
    double& entry = least[effective[id] - 1u];
    entry = std::min(entry, costs[id]);
  }
  ByStages ratios{};
  double cost = std::numeric_limits<double>::infinity();
  for (unsigned stage = 0; stage < stages; ++stage) {
    cost = std::min(cost, least[stage]);
    if (std::isfinite(cost)) ratios[stage] = 1 / cost;
  }
  return ratios;
}

/// The best ratio of a race, which does not know the best of fewer stages.
ByStages best_of_all(double ratio, unsigned stages) {
  ByStages ratios{};
  ratios[stages - 1] = ratio;
  return ratios;
}

void append_stages(Table& table, const std::string& name, synth::Precision precision,
                   const ByStages& ratios, unsigned stages) {
  std::vector<Cell> figures;
  const auto add = [&](double value) {
    append(figures, value > 0 ? std::optional(value) : std::nullopt);
  };
  for (unsigned stage = 0; stage < stages; ++stage) add(ratios[stage]);
  const double all = ratios[stages - 1];
  for (unsigned stage = 0; stage + 1 < stages; ++stage) {
    add(all > 0 ? 100 * ratios[stage] / all : 0);
  }
  table.add(name, precision, figures);
}

/// Tables of the first `count` pipelines of each document, with the remarks on the documents.
std::vector<Table> tables_of_best(const Runs& runs, std::size_t count,
                                  decltype(component_tables)& tables_of) {
  const CountedPipelines best = [&](const auto& add) {
    for (const Document* document : runs.searched()) {
      for (std::size_t i = 0; i < std::min(count, document->ranking.size()); ++i) {
        add({document->space.at(document->ranking[i]), document->data.precision,
             document->data.name});
      }
    }
  };
  auto tables = tables_of(best, runs.space(), fmt::format("in the top {} of each data set", count));
  tables.front().notes = runs.notes();
  if (std::ranges::any_of(runs.documents(), raced)) {
    tables.front().notes.emplace_back(
        "of what a race has left, those counted behind the first are the first of these pipelines "
        "alone, and may be fewer");
  }
  return tables;
}

}  // namespace

std::vector<Table> components(const Runs& runs, std::size_t count) {
  return tables_of_best(runs, count, component_tables);
}

std::vector<Table> patterns(const Runs& runs, std::size_t count) {
  return tables_of_best(runs, count, pattern_tables);
}

std::vector<Table> stages(const Runs& runs) {
  const synth::Space& space = runs.space();
  Table table{.title = "Best ratio with fewer stages, and its share of the best with all stages",
              .columns = {{"data_set"}, {"precision"}},
              .notes = runs.notes()};
  add_stage_columns(table, space.stages, space.stages);
  const auto to_document = [](const Document* document) -> const Document& { return *document; };
  const bool any_raced = std::ranges::any_of(runs.documents(), raced);
  std::vector<std::uint8_t> effective;  // a space that was raced may be too large for it
  if (!std::ranges::all_of(runs.documents(), raced)) effective = effective_stages(space);
  for (const Document* document : runs.searched()) {
    const double best = document->ranking.empty() ? 0 : document->ratio(document->ranking.front());
    append_stages(
        table, document->data.name, document->data.precision,
        raced(*document) ? best_of_all(best, space.stages) : best_by_stages(*document, effective),
        space.stages);
  }
  for (const synth::Precision precision : kPrecisions) {
    const Means means(runs.of(precision));
    if (means.documents().empty()) continue;
    const auto best = means.best();
    append_stages(table, "Best", precision,
                  std::ranges::any_of(means.documents(), raced, to_document)
                      ? best_of_all(best ? means.ratio(*best) : 0, space.stages)
                      : best_by_stages(means.costs(), effective, space.stages),
                  space.stages);
  }
  if (any_raced) {
    table.notes.emplace_back(
        "raced: the best with fewer stages may have left the race, and is not shown; race or "
        "search a space of fewer stages");
  }
  if (space.stages > 1 && std::ranges::none_of(space.components, identity)) {
    table.notes.push_back(fmt::format(
        "the space has no NUL, so all its pipelines have {} stages; for fewer stages, search a "
        "space with fewer, or with NUL",
        space.stages));
  }
  table.notes.push_back("Best: the pipeline with the highest harmonic mean over the data sets");
  return {table};
}

}  // namespace fpsynth::results
