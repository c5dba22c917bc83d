#include "results/queries/component_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace fpsynth::results {
namespace {

Table stage_table(std::string title, std::string first, unsigned stages) {
  Table table{.title = std::move(title), .columns = {{std::move(first)}}};
  for (unsigned stage = 1; stage <= stages; ++stage) {
    table.columns.push_back({fmt::format("stage_{}", stage)});
  }
  return table;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::vector<Cell> cells_of(const std::vector<std::uint64_t>& counts) {
  return {counts.begin(), counts.end()};
}

/// The name of a family: "LNVns", "BIT".
std::string family_name(synth::Component component) {
  const synth::FamilyTraits& family = synth::family(component.family);
  return fmt::format("{}{}{}", family.name, family.parametric ? "n" : "", family.suffix);
}

std::vector<synth::Component> components_of(const synth::Space& space) {
  std::vector<synth::Component> order = space.components;
  for (const synth::Component last : space.last) {
    if (std::ranges::find(order, last) == order.end()) order.push_back(last);
  }
  return order;
}

}  // namespace

void ComponentTally::add(const synth::Pipeline& pipeline, bool cut_known) {
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    Counts& counts = by_component_[pipeline.stages[stage]];
    counts.resize(stages_);
    ++counts.at(stage);
  }
  ++counted_;
  if (!cut_known) return;
  ++by_cut_.at(pipeline.cut);
  ++counted_cuts_;
}

ComponentTally::Counts ComponentTally::counts_of(synth::Component component) const {
  const auto found = by_component_.find(component);
  return found == by_component_.end() ? Counts(stages_) : found->second;
}

Table ComponentTally::components(const std::vector<synth::Component>& order,
                                 const std::string& whose) const {
  Table table = stage_table("Components " + whose, "component", stages_);
  table.columns.push_back({"total"});
  for (const synth::Component component : order) {
    const Counts counts = counts_of(component);
    table.add(to_string(component), cells_of(counts), sum(counts));
  }
  return table;
}

Table ComponentTally::families(const std::vector<synth::Component>& order,
                               const std::string& whose) const {
  std::vector<std::pair<std::string, Counts>> families;
  for (const synth::Component component : order) {
    const std::string name = family_name(component);
    auto family = std::ranges::find(families, name, &std::pair<std::string, Counts>::first);
    if (family == families.end()) family = families.insert(family, {name, Counts(stages_)});
    const Counts counts = counts_of(component);
    for (unsigned stage = 0; stage < stages_; ++stage) family->second[stage] += counts[stage];
  }
  Table table = stage_table(
      fmt::format("Families {} (LNVns subtracts, LNVnx takes the XOR)", whose), "family", stages_);
  table.columns.insert(table.columns.end(), {{"total"}, {"share_percent", "share %", 1}});
  for (const auto& [name, counts] : families) {
    table.add(name, cells_of(counts), sum(counts), percent(sum(counts), counted_ * stages_));
  }
  table.notes.push_back("share: in percent of all stages of the pipelines");
  return table;
}

Table ComponentTally::cuts(const std::vector<unsigned>& cuts, const std::string& whose) const {
  Table table{.title = "Cuts " + whose,
              .columns = {{"stages_before_cut", "stages before the cut"},
                          {"pipelines"},
                          {"share_percent", "share %", 1}},
              .notes = {fmt::format("{} pipelines counted", counted_)}};
  for (const unsigned cut : cuts) {
    const std::uint64_t count = cut < by_cut_.size() ? by_cut_[cut] : 0;
    table.add(cut, count, percent(count, counted_cuts_));
  }
  if (counted_cuts_ < counted_) {
    table.notes.push_back(
        fmt::format("left out because their cuts are not known: {}", counted_ - counted_cuts_));
  }
  return table;
}

Table ComponentTally::shares(const std::vector<synth::Component>& order,
                             const std::string& whose) const {
  Table table =
      stage_table(fmt::format("Components {}, in percent of the pipelines", whose), "component", 0);
  for (unsigned stage = 1; stage <= stages_; ++stage) {
    table.columns.push_back(
        {fmt::format("stage_{}_percent", stage), fmt::format("stage {}", stage), 1});
  }
  for (const synth::Component component : order) {
    std::vector<Cell> shares;
    for (const std::uint64_t count : counts_of(component)) {
      append(shares, percent(count, counted_));
    }
    table.add(to_string(component), shares);
  }
  return table;
}

std::vector<Table> ComponentTally::tables(const synth::Space& space,
                                          const std::string& whose) const {
  const std::vector<synth::Component> order = components_of(space);
  return {components(order, whose), families(order, whose), cuts(space.cuts, whose),
          shares(order, whose)};
}

}  // namespace fpsynth::results
