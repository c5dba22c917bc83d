// `fpsynth query timed`: what `bench pipelines` timed, with means over data sets.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/queries/queries.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::cli {
namespace {

using results::ThroughputDocument;

/// The choice of throughput documents of a directory.
struct TimedChoice : QueryChoice {
  std::string backend;
};

struct TimedArguments {
  TimedChoice choice;
  TableOutput output;
};

std::string label(const ThroughputDocument& document) {
  return fmt::format("{} ({}, {})", document.data.name, synth::to_string(document.data.precision),
                     document.run.backend);
}

/// Adds DATASET and the options --runs, --precision and --backend.
void add_timed_choice(Command command, TimedChoice& choice) {
  add_query_choice(command, choice, "DATASET", "Directory of the results and throughput documents");
  command.add_option("--backend", choice.backend, "Only cpu or cuda").one_of({"cpu", "cuda"});
}

/// The chosen documents, by name, of directory_of_runs(). Throws Error if it has none or one is
/// damaged, UsageError if none is chosen.
std::vector<ThroughputDocument> load_timed(TimedChoice& choice) {
  choice.directory = directory_of_runs(choice.directory, results::throughput_files);
  const auto files = results::throughput_files(choice.directory);
  if (files.empty()) {
    choice.directory = directory_of_runs(choice.directory);
    raise(
        "{} holds no throughput documents; time the best pipelines of a search with `fpsynth bench "
        "pipelines --top 10 --runs {}`",
        choice.directory, choice.directory);
  }
  std::vector<ThroughputDocument> chosen;
  std::vector<std::string> known;
  for (const auto& file : files) {
    ThroughputDocument document = results::read_throughput(file);
    known.push_back(label(document));
    const bool wanted = (choice.data_set.empty() || document.data.name == choice.data_set) &&
                        (choice.precision.empty() ||
                         synth::to_string(document.data.precision) == choice.precision) &&
                        (choice.backend.empty() || document.run.backend == choice.backend);
    if (wanted) chosen.push_back(std::move(document));
  }
  if (chosen.empty()) {
    raise<UsageError>("nothing that matches was timed in {}; its data sets are: {}",
                      choice.directory, fmt::join(known, ", "));
  }
  return chosen;
}

}  // namespace

std::vector<std::filesystem::path> comparison_files(const std::string& directory,
                                                    const std::vector<std::string>& named) {
  std::vector<std::filesystem::path> files(named.begin(), named.end());
  for (const auto& file : results::files_ending(directory, {".json"})) {
    const std::string name = file.filename().string();
    const bool document = name.ends_with(".double.json") || name.ends_with(".single.json") ||
                          name.ends_with(".throughput.json");
    if (name.starts_with("compare") && !document) files.push_back(file);
  }
  return files;
}

void add_compared(Command command, std::vector<std::string>& named, const char* what) {
  command.add_option("--compared", named, what).one_value_a_time().value_name("FILE");
}

void add_timed(Command query) {
  auto arguments = std::make_shared<TimedArguments>();
  Command command =
      query.add_subcommand("timed", "What was timed, on CPUs and GPUs, with means over data sets");
  add_timed_choice(command, arguments->choice);
  add_table_output(command, arguments->output);
  command.footer(
      "Means are over pipelines timed on every data set of a precision on a device.\n"
      "Examples:\n"
      "  fpsynth bench pipelines --backend cuda --baselines --runs results/runs/plasma --top 3\n"
      "  fpsynth query timed --runs results/runs/plasma --backend cuda");
  command.callback([arguments] {
    const auto documents = load_timed(arguments->choice);
    put_tables({results::timed(documents)}, arguments->output, "query timed");
  });
}

// `fpsynth query pareto`: ratio and speed of what was timed, and sending it over a link.

namespace {

using results::ParetoSet;
using results::ThroughputDocument;

struct ParetoArguments {
  TimedChoice choice;
  std::vector<std::string> compared;
  double gbit_per_s = 0, at_least = 0;
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

/// Prints the tables of the data sets of each precision on each backend.
void run(ParetoArguments& arguments) {
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
    const std::vector<results::Table> its =
        arguments.gbit_per_s > 0 ? results::link(sets, arguments.gbit_per_s, notes[key])
                                 : results::pareto(sets, arguments.at_least, notes[key]);
    tables.insert(tables.end(), its.begin(), its.end());
  }
  put_tables(tables, arguments.output, "query pareto");
}

}  // namespace

void add_pareto(Command query) {
  auto arguments = std::make_shared<ParetoArguments>();
  Command command =
      query.add_subcommand("pareto", "What no other compressor beats in ratio and speed at once");
  add_timed_choice(command, arguments->choice);
  add_compared(command, arguments->compared,
               "A document of `fpsynth compare`, for its baselines and peers; compare*.json in the "
               "directory are found");
  add_table_output(command, arguments->output);
  Option at_least = command
                        .add_option("--at-least", arguments->at_least,
                                    "Only what compresses and decompresses at so many GB/s or more")
                        .value_name("GB/S")
                        .range(0.0, 1e6);
  command
      .add_option("--gbit", arguments->gbit_per_s,
                  "Instead, how fast data arrive over a link of so many Gbit/s, and when "
                  "compressing them pays")
      .range(1e-6, 1e6)
      .excludes(at_least);
  command.footer(
      "Examples:\n"
      "  fpsynth bench pipelines --top 100 --runs results/runs/plasma\n"
      "  fpsynth query pareto --runs results/runs/plasma --at-least 2\n"
      "  fpsynth query pareto num_plasma --gbit 40 --runs results/runs/plasma\n"
      "  fpsynth query pareto num_plasma --precision double --compared compare.json --csv");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
