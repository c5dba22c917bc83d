// `fpsynth query`: queries on the result documents of a study.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "results/documents/document_file.hpp"
#include "results/queries/papers/published.hpp"
#include "results/queries/queries.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/data/registry/datasets.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cli {
namespace {

using results::Runs;
using results::Table;

struct QueryArguments {
  QueryChoice choice;
  TableOutput output;
  bool published = false;
  std::size_t count = 0;
  std::string text;
  std::vector<std::string> compared, deeper;
};

/// Adds one query with the options that all queries share. `answer` takes the runs, and the
/// arguments if it needs them.
template <class Answer>
Command add(Command query, const std::string& name, const std::string& description,
            const std::shared_ptr<QueryArguments>& arguments, Answer answer,
            const std::string& data_set = "DATASET,--dataset") {
  Command command = query.add_subcommand(name, description);
  add_query_choice(command, arguments->choice, data_set);
  add_table_output(command, arguments->output);
  command.callback([name, arguments, answer]() {
    const Runs runs = load(arguments->choice);
    if constexpr (std::is_invocable_v<Answer, const Runs&>) {
      put_tables(answer(runs), arguments->output, "query " + name);
    } else {
      put_tables(answer(runs, *arguments), arguments->output, "query " + name);
    }
  });
  return command;
}

/// Adds an option for the number of pipelines.
void add_count(Command command, const std::string& name, const std::string& description,
               const std::shared_ptr<QueryArguments>& arguments) {
  command.add_option(name, arguments->count, description)
      .range(std::uint64_t{1}, std::uint64_t{1'000'000'000}, "COUNT")
      .show_default();
}

/// Tables, and those of the pipelines that the paper prints if they are asked for.
std::vector<Table> with_papers(std::vector<Table> tables, const QueryArguments& asked,
                               std::vector<Table> (*papers)(const results::PublishedFigures&)) {
  if (!asked.published) return tables;
  for (Table& table : papers(results::PublishedFigures::built_in())) {
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<Table> best(const Runs& runs, const QueryArguments& asked) {
  std::vector<Table> tables = results::best(runs);
  if (!asked.published) return tables;
  return {results::with_published(tables.front(), runs, results::PublishedFigures::built_in())};
}

std::vector<Table> means(const Runs& runs, const QueryArguments& asked) {
  std::vector<Table> tables = results::means(runs);
  if (!asked.published) return tables;
  return {results::means_with_published(tables.front(), results::PublishedFigures::built_in())};
}

/// With the dimensionalities that the descriptions of the paper's data sets record.
std::vector<Table> published(const Runs& runs) {
  results::RecordedDimensionalities recorded;
  const data::Registry registry = data::Registry::built_in();
  for (const data::Dataset* set : registry.named("fpc")) {
    const data::Dimensionality& its = set->dimensionality;
    if (its.value > 0) {
      recorded[set->name] = fmt::format("{}, {}", its.value, text_of(its.from, "MPC"));
    }
  }
  return {results::published_fits(runs, results::PublishedFigures::built_in(), recorded)};
}

std::vector<Table> dimensionality(const Runs& runs, const QueryArguments& arguments) {
  std::vector<results::Measurement> measured;
  for (const auto& file : comparison_files(arguments.choice.directory, arguments.compared)) {
    for (results::Measurement& one : results::measurements(file)) {
      if (one.compressor == "MPC") measured.push_back(std::move(one));
    }
  }
  if (measured.empty()) {
    throw Error(
        fmt::format("{} has no comparison with MPC; make one with `fpsynth compare --study "
                    "FILE --only mpc --out {}/compare.json`, or name it with --compared",
                    arguments.choice.directory, arguments.choice.directory));
  }
  return results::dimensionality(runs, measured);
}

std::vector<Table> stages(const Runs& runs, const QueryArguments& arguments) {
  if (arguments.deeper.empty()) return results::stages(runs);
  std::vector<results::StageBests> deeper;
  for (const std::string& directory : arguments.deeper) {
    for (results::StageBests& bests : results::load_deeper(directory, runs)) {
      deeper.push_back(std::move(bests));
    }
  }
  return results::deeper_stages(runs, deeper);
}

std::shared_ptr<QueryArguments> counting(std::size_t count) {
  auto arguments = std::make_shared<QueryArguments>();
  arguments->count = count;
  return arguments;
}

}  // namespace

void add_query_choice(Command command, QueryChoice& choice, const std::string& names,
                      const std::string& what) {
  command.add_option(names, choice.data_set, "Only this data set");
  command.add_option("--runs", choice.directory, what).show_default();
  command.add_option("--precision", choice.precision, "Only this precision")
      .one_of_any_case({"double", "single"})
      .value_name("PRECISION");
}

Runs load(QueryChoice& choice) {
  choice.directory = directory_of_runs(choice.directory);
  Runs runs = results::load_runs(choice.directory);
  std::optional<std::string_view> data_set;
  if (!choice.data_set.empty()) data_set = choice.data_set;
  std::optional<synth::Precision> precision;
  for (const synth::Precision one : synth::kPrecisions) {
    if (choice.precision == to_string(one)) precision = one;
  }
  return data_set || precision ? runs.select(data_set, precision) : runs;
}

void add_query(Command app) {
  Command query = app.add_subcommand("query", "Ask the results of a search");
  query.require_subcommand();
  query.footer(
      "Examples:\n"
      "  fpsynth query best --runs results/runs/mini\n"
      "  fpsynth query top 20 --dataset num_plasma --precision double\n"
      "  fpsynth query overall 10 --csv > overall.csv\n"
      "  fpsynth query pipeline \"LNV2s LNV2s LNV2x | ZE\"\n"
      "  fpsynth query components --top 100\n"
      "  fpsynth query patterns --published\n"
      "  fpsynth query stages --json\n"
      "  fpsynth query distribution --out distribution.json");

  auto arguments = std::make_shared<QueryArguments>();
  Command command =
      add(query, "best", "Best pipeline of each data set and of all (MPC paper, table II)",
          arguments, best);
  command.add_flag("--published", arguments->published, "Show the paper's figures too");
  command.footer("Example:\n  fpsynth query best --published");

  arguments = counting(10);
  command = add(
      query, "top", "The first N pipelines of each data set", arguments,
      [](const Runs& runs, const QueryArguments& asked) { return results::top(runs, asked.count); },
      "--dataset");
  add_count(command, "N", "How many", arguments);
  command.footer("Example:\n  fpsynth query top 20 --dataset num_plasma --precision double");

  arguments = counting(10);
  command = add(
      query, "overall",
      "The N best pipelines by harmonic mean over the data sets, and cross-validation", arguments,
      [](const Runs& runs, const QueryArguments& asked) {
        return results::overall(runs, asked.count);
      },
      "--dataset");
  add_count(command, "N", "How many", arguments);
  command.footer("Example:\n  fpsynth query overall 10 --precision double");

  arguments = std::make_shared<QueryArguments>();
  command = add(
      query, "pipeline", "One pipeline on every data set", arguments,
      [](const Runs& runs, const QueryArguments& asked) {
        return results::pipeline(runs, asked.text);
      },
      "--dataset");
  command
      .add_option("PIPELINE", arguments->text, "Component names, | at the cut, in quotes; or an id")
      .required();
  command.footer(
      "A pipeline shorter than those searched is looked up with NULs before it.\n"
      "Example:\n  fpsynth query pipeline \"LNV6s BIT LNV1s ZE\"");

  arguments = std::make_shared<QueryArguments>();
  command = add(query, "means", "Harmonic means: of one pipeline for all, of each set's own best",
                arguments, means);
  command.add_flag("--published", arguments->published, "Show the paper's figures too");
  command.footer("Example:\n  fpsynth query means --runs results/runs/mini");

  arguments = counting(100);
  command = add(query, "components", "How often each component occurs in each stage of the best",
                arguments, [](const Runs& runs, const QueryArguments& asked) {
                  return with_papers(results::components(runs, asked.count), asked,
                                     results::published_components);
                });
  command.add_flag("--published", arguments->published,
                   "Also count in the pipelines that the paper prints");
  add_count(command, "--top", "How many pipelines of each data set to count", arguments);
  command.footer("Example:\n  fpsynth query components --top 1");

  arguments = counting(1);
  command = add(query, "patterns",
                "What the best pipelines have in common: kinds of components, reducers, cuts",
                arguments, [](const Runs& runs, const QueryArguments& asked) {
                  return with_papers(results::patterns(runs, asked.count), asked,
                                     results::published_patterns);
                });
  command.add_flag("--published", arguments->published,
                   "Also those of the pipelines that the paper prints");
  add_count(command, "--top", "How many pipelines of each data set to count", arguments);
  command.footer(
      "A pattern is the kinds of the components by stage: LNV LNV | DIM ZE.\n"
      "Examples:\n"
      "  fpsynth query patterns --runs results/runs/mini --published\n"
      "  fpsynth query patterns --top 20 --precision double --csv");

  command = add(query, "common", "Whether one pipeline is the best in both precisions",
                std::make_shared<QueryArguments>(), results::common);
  command.footer("Example:\n  fpsynth query common --runs results/runs/mini");

  arguments = std::make_shared<QueryArguments>();
  command = add(query, "dimensionality",
                "MPC against the one best pipeline, by the data sets' dimensionality", arguments,
                dimensionality);
  command
      .add_option("--compared", arguments->compared,
                  "A document of `fpsynth compare`; compare*.json in the directory are found")
      .one_value_a_time()
      .value_name("FILE");
  command.footer(
      "Examples:\n"
      "  fpsynth compare --study mini --only mpc --out compare.json\n"
      "  fpsynth query dimensionality --runs results/runs/mini --compared compare.json");

  command = add(query, "published",
                "The cuts and dimensionalities that fit the ratios the MPC paper prints",
                std::make_shared<QueryArguments>(), published);
  command.footer("Example:\n  fpsynth query published --runs results/runs/fpc");

  arguments = std::make_shared<QueryArguments>();
  command = add(query, "stages",
                "Best ratio with fewer stages, and its share of the one with all (figure 2)",
                arguments, stages);
  command
      .add_option("--deeper", arguments->deeper,
                  "A directory of searches of the same data sets with more stages, of all "
                  "pipelines or raced; may be given several times")
      .one_value_a_time()
      .value_name("DIR");
  command.footer(
      "Examples:\n"
      "  fpsynth query stages --precision double\n"
      "  fpsynth query stages --runs results/runs/four --deeper results/runs/five --deeper "
      "results/runs/six");

  command = add(query, "distribution", "How the ratios of all pipelines of each data set spread",
                std::make_shared<QueryArguments>(), results::distribution);
  command.footer("Example:\n  fpsynth query distribution --dataset num_plasma");

  command = add(query, "preludes", "The preludes that searches tried, and what each gained",
                std::make_shared<QueryArguments>(), results::preludes);
  command.footer("Example:\n  fpsynth query preludes --runs results/runs/preludes");

  command = add(query, "races", "What races left, how much work they saved, and what they may lose",
                std::make_shared<QueryArguments>(), results::races);
  command.footer("Example:\n  fpsynth query races --runs results/runs/raced");

  command = add(query, "runs", "What was searched, how, on what, and how fast",
                std::make_shared<QueryArguments>(), results::searches);
  command.footer("Example:\n  fpsynth query runs --runs results/runs/mini");

  add_cards(query);
  add_claims(query);
  add_peers(query);
  add_matrix(query);
  add_pareto(query);
  add_timed(query);
}

}  // namespace fpsynth::cli
