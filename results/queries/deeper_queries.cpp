#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "results/documents/document_file.hpp"
#include "results/documents/means.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

/// The best of a data set in one precision with at most 1, 2, ... stages, over several searches.
struct Growth {
  DataSet data;
  std::vector<std::optional<StageBest>> at_most;

  std::optional<double> ratio(unsigned stages) const {
    const auto& best = at_most[stages - 1];
    return best ? std::optional(best->ratio) : std::nullopt;
  }
};

std::string label_of(const StageBests& bests) {
  return fmt::format("{} ({}, {} stages)", bests.data.name, synth::to_string(bests.data.precision),
                     bests.space.stages);
}

/// Throws Error unless a space has the components and chunks of another one.
void check_alike(const StageBests& base, const StageBests& deeper) {
  const synth::Space &a = base.space, &b = deeper.space;
  if (a.components == b.components && a.last == b.last && a.chunk_words == b.chunk_words) return;
  raise(
      "{} and {} were searched in spaces that differ in more than the number of stages ({}; {}); "
      "search the same components and chunks",
      label_of(base), label_of(deeper), a.describe(), b.describe());
}

/// Why a search cannot stand beside another one; empty if it can.
std::string objection(const StageBests& base, const StageBests& deeper) {
  if (base.data.xxh3 != deeper.data.xxh3) return "it is of other data";
  if (!deeper.complete) return "it is not complete";
  if (base.sample != deeper.sample) {
    return fmt::format("it has one chunk in {}, and that of {} stages one in {}", deeper.sample,
                       base.space.stages, base.sample);
  }
  return "";
}

/// Carries what is best with n stages on to more stages.
void spread(std::vector<std::optional<StageBest>>& at_most) {
  for (std::size_t n = 1; n < at_most.size(); ++n) {
    const auto &fewer = at_most[n - 1], &these = at_most[n];
    if (these && fewer && fewer->ratio >= these->ratio) at_most[n] = fewer;
  }
}

/// Puts the searches of each data set of `base` together. Searches that are left out are noted.
std::vector<Growth> growths(const Runs& base, const std::vector<StageBests>& deeper,
                            unsigned& most_stages, std::vector<std::string>& notes) {
  std::vector<Growth> all;
  most_stages = base.space().stages;
  for (const Document* document : base.searched()) {
    const StageBests own = stage_bests(*document);
    Growth growth{document->data, own.at_most};
    for (const StageBests& more : deeper) {
      if (more.data.name != own.data.name || more.data.precision != own.data.precision) continue;
      check_alike(own, more);
      if (const std::string why = objection(own, more); !why.empty()) {
        notes.push_back(fmt::format("{} is left out: {}", label_of(more), why));
        continue;
      }
      const unsigned stages = more.space.stages;
      if (growth.at_most.size() < stages) growth.at_most.resize(stages);
      // The better of two searches with as many stages has reached its figure.
      for (unsigned n = 0; n < stages; ++n) {
        const auto& best = more.at_most[n];
        auto& held = growth.at_most[n];
        if (best && (!held || held->ratio < best->ratio)) held = best;
      }
    }
    most_stages = std::max(most_stages, unsigned(growth.at_most.size()));
    all.push_back(std::move(growth));
  }
  for (Growth& growth : all) {
    growth.at_most.resize(most_stages);
    spread(growth.at_most);
  }
  return all;
}

std::vector<Cell> figures_of(const std::vector<std::optional<double>>& ratios, unsigned all) {
  std::vector<Cell> row;
  for (const std::optional<double>& ratio : ratios) append(row, ratio);
  const std::optional<double>& whole = ratios[all - 1];
  for (unsigned n = 1; n <= ratios.size(); ++n) {
    if (n == all) continue;
    std::optional<double> percents;
    if (ratios[n - 1] && whole && *whole > 0) percents = 100 * (*ratios[n - 1] / *whole);
    append(row, percents);
  }
  return row;
}

Table ratios_table(const std::vector<Growth>& all, unsigned stages, unsigned base) {
  Table table{.title = fmt::format("Best ratio by number of stages, and its share of the best with "
                                   "{}",
                                   counted(base, "stage")),
              .columns = {{"data_set"}, {"precision"}}};
  add_stage_columns(table, stages, base);
  table.columns.push_back({"raced_stages", "raced"});
  for (const Growth& growth : all) {
    std::vector<std::optional<double>> ratios;
    std::string raced;
    for (unsigned n = 1; n <= stages; ++n) {
      ratios.push_back(growth.ratio(n));
      const auto& best = growth.at_most[n - 1];
      if (best && best->raced) raced += fmt::format("{}{}", raced.empty() ? "" : " ", n);
    }
    table.add(growth.data.name, growth.data.precision, figures_of(ratios, base),
              raced.empty() ? std::nullopt : std::optional(raced));
  }
  return table;
}

Table means_table(const std::vector<Growth>& all, unsigned stages, unsigned base) {
  Table table{.title = "Harmonic means of each data set's own best by number of stages",
              .columns = {{"precision"}, {"data_sets"}},
              .notes = {"over the data sets that were searched with every number of stages"}};
  add_stage_columns(table, stages, base);
  for (const synth::Precision precision : kPrecisions) {
    std::vector<std::vector<double>> each(stages);
    for (const Growth& growth : all) {
      const auto is_there = [](const auto& best) { return best.has_value(); };
      if (growth.data.precision != precision || !std::ranges::all_of(growth.at_most, is_there)) {
        continue;
      }
      for (unsigned n = 1; n <= stages; ++n) each[n - 1].push_back(*growth.ratio(n));
    }
    if (each.front().empty()) continue;
    std::vector<std::optional<double>> ratios;
    for (const std::vector<double>& its : each) ratios.emplace_back(harmonic_mean(its));
    table.add(precision, each.front().size(), figures_of(ratios, base));
  }
  return table;
}

Table winners_table(const std::vector<Growth>& all) {
  Table table{.title = "Best pipeline with at most so many stages",
              .columns = columns("data_set", "precision", "stages", Column("ratio", "CR"),
                                 Column("gain_percent", "more than with one fewer %", 2),
                                 Column("used_stages", "stages used"), "pipeline", "searched")};
  for (const Growth& growth : all) {
    for (std::size_t n = 0; n < growth.at_most.size(); ++n) {
      const auto& best = growth.at_most[n];
      if (!best) continue;
      const StageBest* fewer = n > 0 && growth.at_most[n - 1] ? &*growth.at_most[n - 1] : nullptr;
      std::optional<double> gain;
      if (fewer) gain = 100 * (best->ratio / fewer->ratio - 1);
      table.add(growth.data.name, growth.data.precision, n + 1, best->ratio, gain,
                best->pipeline.stages.size(), to_string(best->pipeline),
                best->raced ? "raced" : "all pipelines");
    }
  }
  return table;
}

/// The winners with at most n stages.
std::vector<const synth::Pipeline*> winners(const std::vector<Growth>& all, unsigned n) {
  std::vector<const synth::Pipeline*> pipelines;
  for (const Growth& growth : all) {
    if (growth.at_most[n - 1]) pipelines.push_back(&growth.at_most[n - 1]->pipeline);
  }
  return pipelines;
}

Table looks_table(const std::vector<Growth>& all, unsigned stages) {
  Table table{
      .title = "What the winners look like, by number of stages",
      .columns =
          columns("stages", "winners", Column("mean_used_stages", "stages used (mean)", 2),
                  Column("mean_reducers", "reducers (mean)", 2), "all_on_words", "all_on_bytes",
                  "cut_between",
                  Column("mean_stages_before_cut", "of these: stages before the cut (mean)", 2)),
      .notes = {"reducers: those of the last stage included; a stage of NUL counts as none"}};
  for (unsigned n = 1; n <= stages; ++n) {
    const auto pipelines = winners(all, n);
    std::uint64_t used = 0, reducers = 0, on_words = 0, on_bytes = 0, between = 0, before = 0;
    for (const synth::Pipeline* pipeline : pipelines) {
      used += pipeline->stages.size();
      reducers += std::uint64_t(std::ranges::count_if(pipeline->stages, [](auto component) {
        return synth::family(component.family).reduces;
      }));
      on_bytes += pipeline->cut == 0;
      on_words += pipeline->cut == pipeline->stages.size();
      if (pipeline->cut == 0 || pipeline->cut == pipeline->stages.size()) continue;
      ++between;
      before += pipeline->cut;
    }
    const auto mean = [](std::uint64_t sum, std::uint64_t count) {
      return count ? std::optional(double(sum) / double(count)) : std::nullopt;
    };
    table.add(n, pipelines.size(), mean(used, pipelines.size()), mean(reducers, pipelines.size()),
              on_words, on_bytes, between, mean(before, between));
  }
  return table;
}

Table kinds_table(const std::vector<Growth>& all, const synth::Space& space, unsigned stages) {
  Table table{.title = "Kinds of the winners' components by stage, by number of stages",
              .columns = {{"stages"}, {"kind"}}};
  for (unsigned stage = 1; stage <= stages; ++stage) {
    table.columns.push_back({fmt::format("stage_{}", stage), fmt::format("stage {}", stage)});
  }
  table.columns.push_back({"total"});
  table.columns.push_back({"share_percent", "share %", 1});
  std::vector<std::string> kinds;  // in the order of the space's components
  for (const auto& components : {space.components, space.last}) {
    for (const synth::Component component : components) {
      const synth::FamilyTraits& family = synth::family(component.family);
      const std::string kind(family.name);
      if (family.identity || std::ranges::find(kinds, kind) != kinds.end()) continue;
      kinds.push_back(kind);
    }
  }
  for (unsigned n = 1; n <= stages; ++n) {
    std::map<std::string, std::vector<std::uint64_t>> counts;
    std::uint64_t of_all = 0;
    for (const synth::Pipeline* pipeline : winners(all, n)) {
      for (std::size_t stage = 0; stage < pipeline->stages.size(); ++stage) {
        auto& its = counts[std::string(synth::family(pipeline->stages[stage].family).name)];
        its.resize(stages);
        ++its[stage];
        ++of_all;
      }
    }
    for (const std::string& kind : kinds) {
      std::vector<std::uint64_t>& its = counts[kind];
      its.resize(stages);
      std::vector<Cell> of_stages(its.begin(), its.begin() + n);
      of_stages.resize(stages);  // empty for stages that there are not
      const auto total = std::accumulate(its.begin(), its.begin() + n, std::uint64_t{0});
      table.add(n, kind, of_stages, total, percent(total, of_all));
    }
  }
  return table;
}

}  // namespace

void add_stage_columns(Table& table, unsigned stages, unsigned all) {
  for (unsigned n = 1; n <= stages; ++n) {
    table.columns.push_back({fmt::format("ratio_{}", n), fmt::format("CR {}", n)});
  }
  for (unsigned n = 1; n <= stages; ++n) {
    if (n == all) continue;
    table.columns.push_back({fmt::format("share_{}_percent", n), fmt::format("share {} %", n), 1});
  }
}

StageBests stage_bests(const Document& document) {
  StageBests bests{.data = document.data,
                   .space = document.space.without_preludes().whole(),
                   .sample = document.run.sample,
                   .complete = document.run.complete,
                   .at_most = {}};
  const unsigned stages = document.space.stages;
  const bool is_raced = raced(document);
  bests.at_most.resize(stages);
  const std::uint64_t pipelines = document.space.pipelines();
  unsigned limit = stages;  // at_most[limit - 1] is the next to be set
  for (const std::uint64_t id : document.ranking) {
    if (id >= pipelines) continue;  // behind a prelude
    const synth::Pipeline pipeline = synth::without_identities(document.space.at(id));
    for (; limit > 0 && pipeline.stages.size() <= limit; --limit) {
      bests.at_most[limit - 1] = {pipeline, document.ratio(id), is_raced};
      if (is_raced) return bests;
    }
    if (limit == 0) break;
  }
  return bests;
}

std::vector<StageBests> load_deeper(const std::filesystem::path& directory, const Runs& base) {
  std::vector<StageBests> found;
  for (const Document& document : base.documents()) {
    const auto path = document_path(directory, document.data.name, document.data.precision);
    std::error_code error;
    if (std::filesystem::exists(path, error)) found.push_back(stage_bests(read_document(path)));
  }
  if (found.empty()) {
    raise("{} has no results of {}; search the same data sets with more stages", directory.string(),
          base.documents().size() == 1 ? label(base.documents().front()) : "any of the data sets");
  }
  return found;
}

std::vector<Table> deeper_stages(const Runs& base, const std::vector<StageBests>& deeper) {
  std::vector<std::string> notes = base.notes();
  unsigned stages = 0;
  const std::vector<Growth> all = growths(base, deeper, stages, notes);
  const unsigned of_base = base.space().stages;
  std::vector<Table> tables = {ratios_table(all, stages, of_base),
                               means_table(all, stages, of_base), winners_table(all),
                               looks_table(all, stages), kinds_table(all, base.space(), stages)};
  const auto is_raced = [](const auto& best) { return best && best->raced; };
  const auto any_raced = [&](const Growth& growth) {
    return std::ranges::any_of(growth.at_most, is_raced);
  };
  if (std::ranges::any_of(all, any_raced)) {
    notes.push_back(
        "raced: the best of what a race has left, so that a better one may have been dropped; "
        "figures of other numbers of stages are of all pipelines");
  }
  tables.front().notes = std::move(notes);
  return tables;
}

}  // namespace fpsynth::results
