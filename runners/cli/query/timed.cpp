// `fpsynth query timed`: what `bench pipelines` timed, with means over data sets.

#include "runners/cli/query/query.hpp"

#include <fmt/format.h>

#include <memory>

#include "results/documents/document_file.hpp"
#include "results/queries/queries.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/query/table_output.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cli {
namespace {

using results::ThroughputDocument;

struct TimedArguments {
  TimedChoice choice;
  TableOutput output;
};

std::string label(const ThroughputDocument& document) {
  return fmt::format("{} ({}, {})", document.data.name, synth::to_string(document.data.precision),
                     document.run.backend);
}

}  // namespace

void add_timed_choice(Command command, TimedChoice& choice) {
  add_query_choice(command, choice, "DATASET", "Directory of the results and throughput documents");
  command.add_option("--backend", choice.backend, "Only cpu or cuda").one_of({"cpu", "cuda"});
}

std::vector<ThroughputDocument> load_timed(TimedChoice& choice) {
  choice.directory = directory_of_runs(choice.directory, results::throughput_files);
  const auto files = results::throughput_files(choice.directory);
  if (files.empty()) {
    choice.directory = directory_of_runs(choice.directory);
    throw Error(
        fmt::format("{} holds no throughput documents; time the best pipelines of a search "
                    "with `fpsynth bench pipelines --top 10 --runs {}`",
                    choice.directory, choice.directory));
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
    throw UsageError(fmt::format("nothing that matches was timed in {}; its data sets are: {}",
                                 choice.directory, fmt::join(known, ", ")));
  }
  return chosen;
}

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

}  // namespace fpsynth::cli
