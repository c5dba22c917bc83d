// `fpsynth query`: questions to the result documents of a study.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "results/queries/published.hpp"
#include "results/queries/ranking_queries.hpp"
#include "results/queries/structure_queries.hpp"
#include "results/queries/survey_queries.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/pareto.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/query/timed.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cli {
namespace {

using results::Runs;
using results::Table;

struct Options {
  std::string directory = "results/runs";
  TableOutput output;
  bool published = false;
  std::optional<std::string> data_set;
  std::optional<std::string> precision;
  std::size_t count = 0;
  std::string text;
};

Runs load(const Options& options) {
  Runs runs = results::load_runs(options.directory);
  if (!options.data_set && !options.precision) return runs;
  std::optional<synth::Precision> precision;
  if (options.precision) {
    precision = options.precision == to_string(synth::Precision::Double) ? synth::Precision::Double
                                                                         : synth::Precision::Single;
  }
  return runs.select(options.data_set, precision);
}

using Query = std::function<std::vector<Table>(const Runs&, const Options&)>;

/// One query with the options that all of them share.
CLI::App* add(CLI::App& query, const std::string& name, const std::string& description,
              const std::shared_ptr<Options>& options, Query answer) {
  CLI::App* command = query.add_subcommand(name, description);
  command->add_option("--runs", options->directory, "Directory of the result documents")
      ->capture_default_str();
  command->add_option("--dataset", options->data_set, "Only this data set");
  command->add_option("--precision", options->precision, "Only this precision")
      ->transform(CLI::IsMember({"double", "single"}, CLI::ignore_case))
      ->type_name("PRECISION");
  add_table_output(*command, options->output);
  command->callback([name, options, answer = std::move(answer)]() {
    put_tables(answer(load(*options), *options), options->output, "query " + name);
  });
  return command;
}

// CLI11's own check for positive numbers shows its whole floating-point range.
CLI::Range count_range() { return {std::size_t{1}, std::size_t{1'000'000'000}, "COUNT"}; }

std::shared_ptr<Options> counting(std::size_t count) {
  auto options = std::make_shared<Options>();
  options->count = count;
  return options;
}

}  // namespace

void add_query(CLI::App& app) {
  CLI::App* query = app.add_subcommand("query", "Ask the results of a search");
  query->require_subcommand(1);
  query->footer(
      "Examples:\n"
      "  fpsynth query best --runs results/runs/mini\n"
      "  fpsynth query top 20 --dataset num_plasma --precision double\n"
      "  fpsynth query overall 10 --csv > overall.csv\n"
      "  fpsynth query pipeline \"LNV2s LNV2s LNV2x | ZE\"\n"
      "  fpsynth query components --top 100\n"
      "  fpsynth query stages --json\n"
      "  fpsynth query distribution --out distribution.json");

  auto options = std::make_shared<Options>();
  CLI::App* command =
      add(*query, "best", "Best pipeline of each data set and over all (MPC paper, table II)",
          options, [](const Runs& runs, const Options& o) {
            std::vector<Table> tables = results::best(runs);
            if (!o.published) return tables;
            const auto& published = results::PublishedFigures::built_in();
            return std::vector<Table>{results::with_published(tables.front(), published)};
          });
  command->add_flag("--published", options->published, "With the paper's figures beside");
  command->footer("Example:\n  fpsynth query best --published");

  options = counting(10);
  command = add(*query, "top", "The first N pipelines of each data set", options,
                [](const Runs& runs, const Options& o) { return results::top(runs, o.count); });
  command->add_option("N", options->count, "How many")->check(count_range())->capture_default_str();
  command->footer("Example:\n  fpsynth query top 20 --dataset num_plasma --precision double");

  options = counting(10);
  command =
      add(*query, "overall",
          "The N best pipelines by harmonic mean over the data sets, and cross-validation", options,
          [](const Runs& runs, const Options& o) { return results::overall(runs, o.count); });
  command->add_option("N", options->count, "How many")->check(count_range())->capture_default_str();
  command->footer("Example:\n  fpsynth query overall 10 --precision double");

  options = std::make_shared<Options>();
  command = add(*query, "pipeline", "One pipeline on every data set", options,
                [](const Runs& runs, const Options& o) { return results::pipeline(runs, o.text); });
  command->add_option("PIPELINE", options->text, "Component names, | at the cut, in quotes")
      ->required();
  command->footer(
      "A pipeline shorter than those searched is looked up with NULs in front.\n"
      "Example:\n  fpsynth query pipeline \"LNV6s BIT LNV1s ZE\"");

  options = std::make_shared<Options>();
  command =
      add(*query, "means", "Harmonic means: of one pipeline for all, of each set's own best",
          options, [](const Runs& runs, const Options& o) {
            std::vector<Table> tables = results::means(runs);
            if (!o.published) return tables;
            const auto& published = results::PublishedFigures::built_in();
            return std::vector<Table>{results::means_with_published(tables.front(), published)};
          });
  command->add_flag("--published", options->published, "With the paper's figures beside");
  command->footer("Example:\n  fpsynth query means --runs results/runs/mini");

  options = counting(100);
  command = add(*query, "components", "How often each component stands in each stage of the best",
                options, [](const Runs& runs, const Options& o) {
                  std::vector<Table> tables = results::components(runs, o.count);
                  if (!o.published) return tables;
                  const auto& published = results::PublishedFigures::built_in();
                  for (Table& table : results::published_components(published)) {
                    tables.push_back(std::move(table));
                  }
                  return tables;
                });
  command->add_flag("--published", options->published,
                    "Then the same of the pipelines that the paper prints");
  command->add_option("--top", options->count, "How many pipelines of each data set to count")
      ->check(count_range())
      ->capture_default_str();
  command->footer("Example:\n  fpsynth query components --top 1");

  command = add(*query, "stages",
                "Best ratio with fewer stages, and its share of the one with all (figure 2)",
                std::make_shared<Options>(),
                [](const Runs& runs, const Options&) { return results::stages(runs); });
  command->footer("Example:\n  fpsynth query stages --precision double");

  command = add(*query, "distribution", "How the ratios of all pipelines of each data set spread",
                std::make_shared<Options>(),
                [](const Runs& runs, const Options&) { return results::distribution(runs); });
  command->footer("Example:\n  fpsynth query distribution --dataset num_plasma");

  command = add(*query, "runs", "What was searched, how, on what, and how fast",
                std::make_shared<Options>(),
                [](const Runs& runs, const Options&) { return results::searches(runs); });
  command->footer("Example:\n  fpsynth query runs --runs results/runs/mini");

  add_pareto(*query);
  add_timed(*query);
}

}  // namespace fpsynth::cli
