#include "results/queries/tallies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "results/documents/data_set.hpp"

namespace fpsynth::results {
namespace {

using synth::Component;

/// Counts by stage.
using Counts = std::vector<std::uint64_t>;

std::vector<Cell> cells_of(const Counts& counts) { return {counts.begin(), counts.end()}; }

std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

Table stage_table(std::string title, std::string first, unsigned stages) {
  Table table{.title = std::move(title), .columns = {{std::move(first)}}};
  for (unsigned stage = 1; stage <= stages; ++stage) {
    table.columns.push_back({fmt::format("stage_{}", stage)});
  }
  table.columns.push_back({"total"});
  return table;
}

const synth::FamilyTraits& family_of(Component component) {
  return synth::family(component.family);
}

/// The name of a family: "LNVns", "BIT".
std::string family_name(Component component) {
  const synth::FamilyTraits& family = family_of(component);
  return fmt::format("{}{}{}", family.name, family.parametric ? "n" : "", family.suffix);
}

std::vector<Component> components_of(const synth::Space& space) {
  std::vector<Component> order = space.components;
  for (const Component last : space.last) {
    if (std::ranges::find(order, last) == order.end()) order.push_back(last);
  }
  return order;
}

/// The kinds of a space's components in the order of the registry, which lists the two forms of LNV
/// as two families.
std::vector<std::string> kinds_of(const synth::Space& space) {
  std::set<std::size_t> families;
  for (const Component component : components_of(space)) families.insert(component.family);
  std::vector<std::string> kinds;
  for (const std::size_t family : families) {
    const std::string name(synth::family(family).name);
    if (std::ranges::find(kinds, name) == kinds.end()) kinds.push_back(name);
  }
  return kinds;
}

/// Pipelines by precision, in the order of kPrecisions, and their data sets.
struct Count {
  std::array<std::uint64_t, std::size(kPrecisions)> pipelines{};
  std::set<std::string> data_sets;

  std::uint64_t total() const {
    return std::accumulate(pipelines.begin(), pipelines.end(), std::uint64_t{0});
  }
  void add(const Counted& one) {
    ++pipelines[std::size_t(one.precision)];
    data_sets.insert(one.data_set);
  }
};

/// A table of counts, to which rows are added.
struct CountTable {
  CountTable(const std::string& title, const std::string& key, const Count& of)
      : table{.title = title,
              .columns = columns(Column(key), Column("double_pipelines", "in double"),
                                 Column("single_pipelines", "in single"), "pipelines",
                                 Column("share_percent", "share %", 1), "data_sets")},
        all(of.total()) {}

  void add(const auto& key, const Count& count, const auto&... more) {
    table.add(key, count.pipelines[0], count.pipelines[1], count.total(),
              percent(count.total(), all), count.data_sets.size(), more...);
  }
  /// Rows for all texts, the most frequent first.
  void add_by_frequency(const std::map<std::string, Count>& counts) {
    std::vector<std::pair<std::string, Count>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [](const auto& entry) { return entry.second.total(); });
    for (const auto& [text, count] : sorted) add(text, count);
  }

  Table table;
  std::uint64_t all;
};

void note_unknown_cuts(Table& table, std::uint64_t pipelines) {
  if (pipelines == 0) return;
  table.notes.push_back(fmt::format("left out because their cuts are not known: {}", pipelines));
}

}  // namespace

std::string_view kind_of(Component component) { return family_of(component).name; }

std::string pattern_of(const synth::Pipeline& pipeline, bool cut_known) {
  std::vector<std::string> words;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    if (cut_known && stage == pipeline.cut) words.emplace_back("|");
    words.emplace_back(kind_of(pipeline.stages[stage]));
  }
  return fmt::format("{}{}", fmt::join(words, " "), cut_known ? "" : kCutNotKnown);
}

std::vector<Table> component_tables(const CountedPipelines& pipelines, const synth::Space& space,
                                    const std::string& whose) {
  const unsigned stages = space.stages;
  std::map<Component, Counts> by_component;
  Counts by_cut(stages + 1);
  std::uint64_t counted = 0;
  pipelines([&](const Counted& one) {
    for (std::size_t stage = 0; stage < one.pipeline.stages.size(); ++stage) {
      ++by_component.try_emplace(one.pipeline.stages[stage], stages).first->second.at(stage);
    }
    ++counted;
    if (one.cut_known) ++by_cut.at(one.pipeline.cut);
  });

  Table components = stage_table("Components " + whose, "component", stages);
  Table shares =
      stage_table(fmt::format("Components {}, in percent of the pipelines", whose), "component", 0);
  shares.columns.pop_back();
  for (unsigned stage = 1; stage <= stages; ++stage) {
    shares.columns.push_back(
        {fmt::format("stage_{}_percent", stage), fmt::format("stage {}", stage), 1});
  }
  std::vector<std::pair<std::string, Counts>> by_family;
  for (const Component component : components_of(space)) {
    const Counts& counts = by_component.try_emplace(component, stages).first->second;
    components.add(to_string(component), cells_of(counts), sum(counts));
    std::vector<Cell> percents;
    for (const std::uint64_t count : counts) append(percents, percent(count, counted));
    shares.add(to_string(component), percents);
    const std::string name = family_name(component);
    auto family = std::ranges::find(by_family, name, &std::pair<std::string, Counts>::first);
    if (family == by_family.end()) family = by_family.insert(family, {name, Counts(stages)});
    std::ranges::transform(family->second, counts, family->second.begin(), std::plus());
  }
  Table families = stage_table(
      fmt::format("Families {} (LNVns subtracts, LNVnx takes the XOR)", whose), "family", stages);
  families.columns.push_back({"share_percent", "share %", 1});
  for (const auto& [name, counts] : by_family) {
    families.add(name, cells_of(counts), sum(counts), percent(sum(counts), counted * stages));
  }
  families.notes.push_back("share: in percent of all stages of the pipelines");
  Table cuts{.title = "Cuts " + whose,
             .columns = columns(Column("stages_before_cut", "stages before the cut"), "pipelines",
                                Column("share_percent", "share %", 1)),
             .notes = {fmt::format("{} pipelines counted", counted)}};
  for (const unsigned cut : space.cuts) {
    cuts.add(cut, by_cut.at(cut), percent(by_cut.at(cut), sum(by_cut)));
  }
  note_unknown_cuts(cuts, counted - sum(by_cut));
  return {components, families, cuts, shares};
}

std::vector<Table> pattern_tables(const CountedPipelines& pipelines, const synth::Space& space,
                                  const std::string& whose) {
  Count all;
  std::map<std::string, Count> patterns, behind_cut;
  std::map<std::string, Count> with_one, with_two;  // by the kind's name
  std::map<std::size_t, Count> by_reducers;
  std::map<std::pair<Component, std::size_t>, Count> reducers_at;  // by stage from 0
  std::uint64_t cut_at_end = 0, cut_unknown = 0;
  pipelines([&](const Counted& one) {
    const std::vector<Component>& stages = one.pipeline.stages;
    all.add(one);
    patterns[pattern_of(one.pipeline, one.cut_known)].add(one);
    std::map<std::string, std::size_t> occurrences;
    std::size_t reducers = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      ++occurrences[std::string(kind_of(stages[stage]))];
      if (!family_of(stages[stage]).reduces) continue;
      reducers_at[{stages[stage], stage}].add(one);
      reducers += stage + 1 < stages.size();
    }
    for (const auto& [kind, number] : occurrences) {
      with_one[kind].add(one);
      if (number > 1) with_two[kind].add(one);
    }
    by_reducers[reducers].add(one);
    if (!one.cut_known) {
      ++cut_unknown;
    } else if (one.pipeline.cut == stages.size()) {
      ++cut_at_end;
    } else {
      behind_cut[to_string(stages[one.pipeline.cut])].add(one);
    }
  });

  CountTable by_pattern("Patterns: the kinds of components by stage, " + whose, "pattern", all);
  by_pattern.add_by_frequency(patterns);
  CountTable by_kind("Pipelines with a kind of component " + whose, "kind", all);
  by_kind.table.columns.emplace_back("twice_pipelines", "twice or more");
  for (const std::string& kind : kinds_of(space)) {
    by_kind.add(kind, with_one[kind], with_two[kind].total());
  }
  by_kind.table.notes.push_back(
      fmt::format("{} pipelines counted, {} of them in double and {} in single precision",
                  all.total(), all.pipelines[0], all.pipelines[1]));
  CountTable before_last("Reducers before the last stage " + whose, "reducers_before_last", all);
  for (std::size_t number = 0; number < space.stages; ++number) {
    before_last.add(number, by_reducers[number]);
  }
  CountTable behind("The first component behind the cut " + whose, "component", all);
  behind.add_by_frequency(behind_cut);
  behind.table.notes.push_back(
      fmt::format("the cut is at the end, and nothing behind it, in {} pipelines", cut_at_end));
  note_unknown_cuts(behind.table, cut_unknown);
  CountTable by_stage("Reducers by stage " + whose, "component", all);
  by_stage.table.columns.emplace(by_stage.table.columns.begin() + 1, "stage");
  for (const Component reducer : space.last) {
    for (std::size_t stage = 0; stage < space.stages; ++stage) {
      by_stage.add(cells(to_string(reducer), stage + 1), reducers_at[{reducer, stage}]);
    }
  }
  return {by_pattern.table, by_kind.table, before_last.table, behind.table, by_stage.table};
}

}  // namespace fpsynth::results
