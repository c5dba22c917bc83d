// `fpsynth query claims`, `scorecard` and `peers`: what the papers observe and print, and other
// compressors, beside results.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "results/queries/papers/claims.hpp"
#include "results/queries/papers/published.hpp"
#include "results/queries/queries.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/data/registry/datasets.hpp"

namespace fpsynth::cli {
namespace {

struct ClaimsArguments {
  std::string directory = kDefaultRuns;
  std::vector<std::string> directories = {kDefaultRuns}, compared;
  TableOutput output;
};

void query_claims(const ClaimsArguments& arguments) {
  std::vector<results::SearchedSpace> spaces;
  for (const std::string& given : arguments.directories) {
    const std::string directory = directory_of_runs(given);
    std::string name = std::filesystem::weakly_canonical(directory).filename().string();
    const auto has_it = [&](const auto& space) { return space.name == name; };
    if (std::ranges::any_of(spaces, has_it)) name = directory;
    results::SearchedSpace space{name, results::load_runs(directory)};
    for (const auto& file : comparison_files(directory, arguments.compared)) {
      std::ranges::copy(results::measurements(file), std::back_inserter(space.measured));
    }
    for (const auto& file : results::throughput_files(directory)) {
      std::ranges::copy(results::measurements(results::read_throughput(file)),
                        std::back_inserter(space.measured));
    }
    spaces.push_back(std::move(space));
  }
  put_tables(results::claims(spaces), arguments.output, "query claims");
}

void query_scorecard(const ClaimsArguments& arguments) {
  const std::string directory = directory_of_runs(arguments.directory);
  std::optional<results::Runs> runs;
  if (arguments.compared.empty() || !results::document_files(directory).empty()) {
    runs = results::load_runs(directory);
  }
  std::vector<results::Table> tables =
      results::scorecard(runs ? &*runs : nullptr, comparison_files(directory, arguments.compared));
  if (runs) {
    results::RecordedDimensionalities recorded;
    const data::Registry registry = data::Registry::built_in();
    for (const data::Dataset* set : registry.named("fpc")) {
      const data::Dimensionality& its = set->dimensionality;
      if (its.value > 0) {
        recorded[set->name] = fmt::format("{}, {}", its.value, text_of(its.from, "MPC"));
      }
    }
    results::Table fits =
        results::published_fits(*runs, results::PublishedFigures::built_in(), recorded);
    if (!fits.rows.empty()) tables.push_back(std::move(fits));
  }
  put_tables(tables, arguments.output, "query scorecard");
}

}  // namespace

void add_claims(Command query) {
  Command command = query.add_subcommand(
      "claims", "Verdicts on the claims of the papers, in one or more searched spaces");
  auto arguments = std::make_shared<ClaimsArguments>();
  command
      .add_option("--runs", arguments->directories,
                  "Directories of result documents, a space each, side by side")
      .show_default();
  add_compared(command, arguments->compared,
               "A document of `fpsynth compare`, or of the sweep of gfc, pfpc or holt; "
               "compare*.json and timings on GPUs in the directories are found");
  add_table_output(command, arguments->output);
  command.callback([arguments]() { query_claims(*arguments); });
  command.footer(
      "Examples:\n"
      "  fpsynth query claims --runs results/runs/mini\n"
      "  fpsynth query claims --runs results/runs/corpus results/runs/without_rle");

  command = query.add_subcommand("scorecard",
                                 "The numbers that the papers print, beside ours, and the cuts and "
                                 "dimensionalities that fit the MPC paper's ratios");
  arguments = std::make_shared<ClaimsArguments>();
  command.add_option("--runs", arguments->directory, "Directory of the result documents")
      .show_default();
  add_compared(command, arguments->compared,
               "A document of `fpsynth compare`, of `data info`, or of the sweep of gfc, pfpc or "
               "holt; compare*.json in the directory are found");
  add_table_output(command, arguments->output);
  command.callback([arguments]() { query_scorecard(*arguments); });
  command.footer(
      "Examples:\n"
      "  fpsynth query scorecard --runs results/runs/fpc\n"
      "  fpsynth compare num_plasma.trace.fpc --out compare.json\n"
      "  fpsynth query scorecard --compared compare.json\n"
      "  fpsynth data info --study fpc --out statistics.json\n"
      "  fpsynth query scorecard --runs results/runs/fpc --compared statistics.json --csv");
}

// `fpsynth query peers`: what searches found, beside other compressors.

namespace {

struct PeersArguments {
  std::vector<std::string> others, ours[std::size(results::kSearchedIn)];
  TableOutput output;
};

void query_peers(const PeersArguments& arguments) {
  std::vector<results::ComparedFile> files;
  for (std::size_t i = 0; i < std::size(results::kSearchedIn); ++i) {
    for (const auto& file : arguments.ours[i]) files.push_back({file, results::kSearchedIn[i]});
  }
  for (const auto& file : arguments.others) files.push_back({file});
  put_tables(results::peers(files), arguments.output, "query peers");
}

}  // namespace

void add_peers(Command query) {
  Command command = query.add_subcommand(
      "peers", "Means and counts of what searches found, beside other compressors");
  auto arguments = std::make_shared<PeersArguments>();
  command
      .add_option("FILE", arguments->others,
                  "Documents of `fpsynth compare`, for all but the best searched")
      .required();
  constexpr const char* kWhat[] = {
      "pipelines alone", "methods with preludes", "methods with preludes in the wide space",
      "methods with longer chunks, in a race", "what `compress auto` finds"};
  for (std::size_t i = 0; i < std::size(kWhat); ++i) {
    command
        .add_option("--" + std::string(results::kSearchedIn[i]), arguments->ours[i],
                    fmt::format("A document of `fpsynth compare`: {}", kWhat[i]))
        .one_value_a_time()
        .value_name("FILE");
  }
  add_table_output(command, arguments->output);
  command.callback([arguments] { query_peers(*arguments); });
  command.footer(
      "Examples:\n"
      "  fpsynth compare --study mini --runs results/runs/mini --out compare.json\n"
      "  fpsynth compare --study mini --runs results/runs/preludes --only searched --threads 1 "
      "--out preludes.json\n"
      "  fpsynth query peers compare.json --pipelines compare.json --preludes preludes.json");
}

}  // namespace fpsynth::cli
