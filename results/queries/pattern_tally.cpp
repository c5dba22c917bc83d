#include "results/queries/pattern_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/documents/data_set.hpp"

namespace fpsynth::results {
namespace {

const synth::FamilyTraits& family_of(synth::Component component) {
  return synth::family(component.family);
}

std::string kind_of(synth::Component component) { return std::string(family_of(component).name); }

std::string kinds_text(const synth::Pipeline& pipeline, bool cut_known) {
  std::vector<std::string> words;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    if (cut_known && stage == pipeline.cut) words.emplace_back("|");
    words.push_back(kind_of(pipeline.stages[stage]));
  }
  return fmt::format("{}{}", fmt::join(words, " "), cut_known ? "" : kCutNotKnown);
}

/// The kinds of a space's components in the order of the registry, which lists the two forms of LNV
/// as two families.
std::vector<std::string> kinds_of(const synth::Space& space) {
  std::set<std::size_t> families;
  for (const auto& components : {space.components, space.last}) {
    for (const synth::Component component : components) families.insert(component.family);
  }
  std::vector<std::string> kinds;
  for (const std::size_t family : families) {
    const std::string name(synth::family(family).name);
    if (std::ranges::find(kinds, name) == kinds.end()) kinds.push_back(name);
  }
  return kinds;
}

}  // namespace

std::string pattern_of(const synth::Pipeline& pipeline) { return kinds_text(pipeline, true); }

void PatternTally::Count::add(synth::Precision precision, const std::string& data_set) {
  ++pipelines[precision == kPrecisions[0] ? 0 : 1];
  data_sets.insert(data_set);
}

void PatternTally::add(const synth::Pipeline& pipeline, synth::Precision precision,
                       const std::string& data_set, bool cut_known) {
  const auto& stages = pipeline.stages;
  const auto count = [&](Count& counted) { counted.add(precision, data_set); };
  count(all_);
  count(patterns_[kinds_text(pipeline, cut_known)]);
  std::map<std::string, std::size_t> occurrences;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    ++occurrences[kind_of(stages[stage])];
    if (family_of(stages[stage]).reduces) count(reducers_at_[{to_string(stages[stage]), stage}]);
  }
  for (const auto& [kind, number] : occurrences) {
    count(with_one_[kind]);
    if (number > 1) count(with_two_[kind]);
  }
  const auto reducers =
      std::count_if(stages.begin(), stages.end() - 1,
                    [](synth::Component component) { return family_of(component).reduces; });
  count(reducers_[static_cast<std::size_t>(reducers)]);
  if (!cut_known) {
    ++cut_unknown_;
  } else if (pipeline.cut == stages.size()) {
    ++cut_at_end_;
  } else {
    count(behind_cut_[to_string(stages[pipeline.cut])]);
  }
}

Table PatternTally::table(std::string title, std::string key, const Counted& counted) const {
  Table table{.title = std::move(title),
              .columns = {{std::move(key)},
                          {"double_pipelines", "in double"},
                          {"single_pipelines", "in single"},
                          {"pipelines"},
                          {"share_percent", "share %", 1},
                          {"data_sets"}}};
  for (const auto& [name, count] : counted) {
    table.add(name, count.pipelines[0], count.pipelines[1], count.total(),
              percent(count.total(), all_.total()), count.data_sets.size());
  }
  return table;
}

Table PatternTally::kinds(const synth::Space& space, const std::string& whose) const {
  Counted ones;
  std::vector<Cell> twos;
  for (const std::string& kind : kinds_of(space)) {
    const auto one = with_one_.find(kind), two = with_two_.find(kind);
    ones.emplace_back(kind, one == with_one_.end() ? Count() : one->second);
    twos.emplace_back(two == with_two_.end() ? std::uint64_t{0} : two->second.total());
  }
  Table counted = table("Pipelines with a kind of component " + whose, "kind", ones);
  counted.columns.emplace_back("twice_pipelines", "twice or more");
  for (std::size_t row = 0; row < twos.size(); ++row) counted.rows[row].push_back(twos[row]);
  counted.notes.push_back(
      fmt::format("{} pipelines counted, {} of them in double and {} in single precision",
                  all_.total(), all_.pipelines[0], all_.pipelines[1]));
  return counted;
}

Table PatternTally::by_stage(const synth::Space& space, const std::string& whose) const {
  Counted counted;
  std::vector<std::uint64_t> at;
  for (const synth::Component reducer : space.last) {
    for (std::size_t stage = 0; stage < space.stages; ++stage) {
      const auto found = reducers_at_.find({to_string(reducer), stage});
      counted.emplace_back(to_string(reducer),
                           found == reducers_at_.end() ? Count() : found->second);
      at.push_back(stage + 1);
    }
  }
  Table made = table("Reducers by stage " + whose, "component", counted);
  made.columns.emplace(made.columns.begin() + 1, "stage");
  for (std::size_t row = 0; row < at.size(); ++row) {
    made.rows[row].emplace(made.rows[row].begin() + 1, at[row]);
  }
  return made;
}

std::vector<Table> PatternTally::tables(const synth::Space& space, const std::string& whose) const {
  const auto by_frequency = [](const std::map<std::string, Count>& counts) {
    Counted sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [](const auto& entry) { return entry.second.total(); });
    return sorted;
  };
  Counted reducers;
  for (std::size_t number = 0; number < space.stages; ++number) {
    const auto found = reducers_.find(number);
    reducers.emplace_back(std::uint64_t{number},
                          found == reducers_.end() ? Count() : found->second);
  }
  std::vector<Table> made = {
      table("Patterns: the kinds of components by stage, " + whose, "pattern",
            by_frequency(patterns_)),
      kinds(space, whose),
      table("Reducers before the last stage " + whose, "reducers_before_last", reducers),
      table("The first component behind the cut " + whose, "component", by_frequency(behind_cut_))};
  made.back().notes.push_back(
      fmt::format("the cut is at the end, and nothing behind it, in {} pipelines", cut_at_end_));
  if (cut_unknown_ > 0) {
    made.back().notes.push_back(
        fmt::format("left out because their cuts are not known: {}", cut_unknown_));
  }
  made.push_back(by_stage(space, whose));
  return made;
}

}  // namespace fpsynth::results
