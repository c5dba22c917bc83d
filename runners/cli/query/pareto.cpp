// `fpsynth query pareto` and `query link`: ratio and speed of what was timed.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "results/queries/pareto.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cli {
namespace {

using results::ParetoSet;
using results::ThroughputDocument;

struct ParetoArguments {
  TimedChoice choice;
  std::vector<std::string> compared;
  double gbit_per_s = 10, at_least = 0;
  TableOutput output;
};

/// Notes the searched data sets of this precision that were not timed.
void note_untimed(const ParetoArguments& arguments, const std::vector<ParetoSet>& sets,
                  std::vector<std::string>& notes) {
  if (!arguments.choice.data_set.empty()) return;
  const std::string ending =
      fmt::format(".{}.json", synth::to_string(sets.front().throughput.data.precision));
  std::vector<std::string> untimed;
  for (const auto& file : results::document_files(arguments.choice.directory)) {
    std::string name = file.filename().string();
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    const bool timed = std::ranges::any_of(
        sets, [&](const ParetoSet& set) { return set.throughput.data.name == name; });
    if (!timed) untimed.push_back(name);
  }
  if (untimed.empty()) return;
  notes.push_back(
      fmt::format("searched but not timed, and left out: {}", fmt::join(untimed, ", ")));
}

using MakeTables = std::function<std::vector<results::Table>(
    const std::vector<ParetoSet>&, const std::vector<std::string>& notes)>;

/// Prints the tables of the data sets of each precision on each backend.
void run(ParetoArguments& arguments, const std::string& kind, const MakeTables& tables_of) {
  std::vector<ThroughputDocument> documents = load_timed(arguments.choice);
  const auto files = comparison_files(arguments.choice.directory, arguments.compared);
  // The keys are precision and backend.
  std::map<std::pair<synth::Precision, std::string>, std::vector<ParetoSet>> groups;
  std::map<std::pair<synth::Precision, std::string>, std::vector<std::string>> notes;
  for (ThroughputDocument& document : documents) {
    const std::pair key(document.data.precision, document.run.backend);
    ParetoSet set{std::move(document), {}};
    for (const auto& file : files) {
      if (key.second != "cpu") continue;
      for (auto& row : results::compared_rows(file, set.throughput, notes[key])) {
        set.compared.push_back(std::move(row));
      }
    }
    groups[key].push_back(std::move(set));
  }
  std::vector<results::Table> tables;
  for (auto& [key, sets] : groups) {
    note_untimed(arguments, sets, notes[key]);
    for (results::Table& table : tables_of(sets, notes[key])) {
      tables.push_back(std::move(table));
    }
  }
  put_tables(tables, arguments.output, kind);
}

Command add(Command query, const std::string& name, const std::string& what,
            const std::shared_ptr<ParetoArguments>& arguments) {
  Command command = query.add_subcommand(name, what);
  add_timed_choice(command, arguments->choice);
  command
      .add_option("--compared", arguments->compared,
                  "A document of `fpsynth compare`, for its baselines and peers; compare*.json "
                  "in the directory are found")
      .one_value_a_time()
      .value_name("FILE");
  add_table_output(command, arguments->output);
  return command;
}

}  // namespace

void add_pareto(Command query) {
  auto arguments = std::make_shared<ParetoArguments>();
  Command command =
      add(query, "pareto", "What no other compressor beats in ratio and speed at once", arguments);
  command
      .add_option("--at-least", arguments->at_least,
                  "Only what compresses and decompresses at so many GB/s or more")
      .value_name("GB/S")
      .range(0.0, 1e6);
  command.footer(
      "Examples:\n"
      "  fpsynth bench pipelines --top 100 --runs results/runs/plasma --baselines\n"
      "  fpsynth query pareto --runs results/runs/plasma --at-least 2\n"
      "  fpsynth query pareto num_plasma --precision double --compared compare.json --csv");
  command.callback([arguments] {
    run(*arguments, "query pareto", [&](const auto& sets, const auto& notes) {
      return results::pareto(sets, arguments->at_least, notes);
    });
  });

  arguments = std::make_shared<ParetoArguments>();
  command = add(query, "link", "How fast data arrive over a link, and when compressing them pays",
                arguments);
  command.add_option("--gbit", arguments->gbit_per_s, "The link's bandwidth in Gbit/s")
      .range(1e-6, 1e6)
      .show_default();
  command.footer(
      "Example:\n"
      "  fpsynth query link num_plasma --gbit 40 --runs results/runs/plasma");
  command.callback([arguments] {
    run(*arguments, "query link", [&](const auto& sets, const auto& notes) {
      return results::link(sets, arguments->gbit_per_s, notes);
    });
  });
}

}  // namespace fpsynth::cli
