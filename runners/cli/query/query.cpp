// `fpsynth query`: queries on the result documents of a study.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "results/queries/papers/published.hpp"
#include "results/queries/queries.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"
#include "synth/common/raise.hpp"

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
  std::vector<std::string> files;
};

/// The tables of a query on so many pipelines.
template <auto query>
std::vector<Table> with_count(const Runs& runs, const QueryArguments& asked) {
  return query(runs, asked.count);
}

/// The same, and those of the pipelines that the paper prints if they are asked for.
template <auto query, auto papers>
std::vector<Table> with_papers(const Runs& runs, const QueryArguments& asked) {
  std::vector<Table> tables = query(runs, asked.count);
  if (!asked.published) return tables;
  for (Table& table : papers(results::PublishedFigures::built_in())) {
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<Table> best(const Runs& runs, const QueryArguments& asked) {
  Table table = results::best(runs).front(), means = results::means(runs).front();
  if (asked.published) {
    const auto& published = results::PublishedFigures::built_in();
    return {results::with_published(table, runs, published),
            results::means_with_published(means, published)};
  }
  const auto several = [](const auto& row) { return std::get<std::uint64_t>(row[2]) > 1; };
  if (std::ranges::none_of(means.rows, several)) return {table};
  return {table, means};
}

std::vector<Table> dimensionality(const Runs& runs, const QueryArguments& arguments) {
  std::vector<results::Measurement> measured;
  for (const auto& file : comparison_files(arguments.choice.directory, arguments.files)) {
    for (results::Measurement& one : results::measurements(file)) {
      if (one.compressor == "MPC") measured.push_back(std::move(one));
    }
  }
  if (measured.empty()) {
    raise(
        "{} has no comparison with MPC; make one with `fpsynth compare --study FILE --only mpc "
        "--out {}/compare.json`, or name it with --compared",
        arguments.choice.directory, arguments.choice.directory);
  }
  return results::dimensionality(runs, measured);
}

std::vector<Table> stages(const Runs& runs, const QueryArguments& arguments) {
  if (arguments.files.empty()) return results::stages(runs);
  std::vector<results::StageBests> deeper;
  for (const std::string& directory : arguments.files) {
    for (results::StageBests& bests : results::load_deeper(directory, runs)) {
      deeper.push_back(std::move(bests));
    }
  }
  return results::deeper_stages(runs, deeper);
}

/// A query, with the options that it has beside those of all.
struct Query {
  const char *name, *description;
  std::vector<Table> (*answer)(const Runs&, const QueryArguments&);
  const char* examples;
  bool published = false;
  const char *count_option = nullptr, *count_description = nullptr;
  std::size_t count = 0;  ///< where the option is left out
  const char *list_option = nullptr, *list_value = nullptr, *list_description = nullptr;
  const char* text_description = nullptr;  ///< of PIPELINE
};

constexpr const char* kHowMany = "How many pipelines of each data set to count";

const Query kQueries[] = {
    {.name = "best",
     .description = "Best pipeline of each data set and of all (MPC paper, table II), and means",
     .answer = best,
     .examples = "Example:\n  fpsynth query best --published",
     .published = true},
    {.name = "top",
     .description = "The first N pipelines of each data set",
     .answer = with_count<results::top>,
     .examples = "Example:\n  fpsynth query top 20 --dataset num_plasma --precision double",
     .count_option = "N",
     .count_description = "How many",
     .count = 10},
    {.name = "overall",
     .description = "The N best pipelines by harmonic mean over the data sets, cross-validation, "
                    "and whether one is the best in both precisions",
     .answer = with_count<results::overall>,
     .examples = "Example:\n  fpsynth query overall 10 --precision double",
     .count_option = "N",
     .count_description = "How many",
     .count = 10},
    {.name = "pipeline",
     .description = "One pipeline on every data set",
     .answer = [](const Runs& runs,
                  const QueryArguments& asked) { return results::pipeline(runs, asked.text); },
     .examples = "A pipeline shorter than those searched is looked up with NULs before it.\n"
                 "Example:\n  fpsynth query pipeline \"LNV6s BIT LNV1s ZE\"",
     .text_description = "Component names, | at the cut, in quotes; or an id"},
    {.name = "components",
     .description = "How often each component occurs in each stage of the best",
     .answer = with_papers<results::components, results::published_components>,
     .examples = "Example:\n  fpsynth query components --top 1",
     .published = true,
     .count_option = "--top",
     .count_description = kHowMany,
     .count = 100},
    {.name = "patterns",
     .description = "What the best pipelines have in common: kinds of components, reducers, cuts",
     .answer = with_papers<results::patterns, results::published_patterns>,
     .examples = "A pattern is the kinds of the components by stage: LNV LNV | DIM ZE.\n"
                 "Examples:\n"
                 "  fpsynth query patterns --runs results/runs/mini --published\n"
                 "  fpsynth query patterns --top 20 --precision double --csv",
     .published = true,
     .count_option = "--top",
     .count_description = kHowMany,
     .count = 1},
    {.name = "dimensionality",
     .description = "MPC against the one best pipeline, by the data sets' dimensionality",
     .answer = dimensionality,
     .examples = "Examples:\n"
                 "  fpsynth compare --study mini --only mpc --out compare.json\n"
                 "  fpsynth query dimensionality --runs results/runs/mini --compared compare.json",
     .list_option = "--compared",
     .list_value = "FILE",
     .list_description =
         "A document of `fpsynth compare`; compare*.json in the directory are found"},
    {.name = "stages",
     .description = "Best ratio with fewer stages, and its share of the one with all (figure 2)",
     .answer = stages,
     .examples = "Examples:\n"
                 "  fpsynth query stages --precision double\n"
                 "  fpsynth query stages --runs results/runs/four --deeper results/runs/five "
                 "--deeper results/runs/six",
     .list_option = "--deeper",
     .list_value = "DIR",
     .list_description = "A directory of searches of the same data sets with more stages, of all "
                         "pipelines or raced; may be given several times"},
    {.name = "distribution",
     .description = "How the ratios of all pipelines of each data set spread",
     .answer = [](const Runs& runs, const QueryArguments&) { return results::distribution(runs); },
     .examples = "Example:\n  fpsynth query distribution --dataset num_plasma"},
    {.name = "runs",
     .description = "What was searched, how, on what, and how fast; the preludes that were tried; "
                    "what races left, and may have lost",
     .answer = [](const Runs& runs, const QueryArguments&) { return results::searches(runs); },
     .examples = "Example:\n  fpsynth query runs --runs results/runs/mini"},
};

void add(Command query, const Query& one) {
  const auto arguments = std::make_shared<QueryArguments>();
  arguments->count = one.count;
  Command command = query.add_subcommand(one.name, one.description);
  const bool counts_first = one.count_option && one.count_option[0] != '-';
  add_query_choice(command, arguments->choice,
                   counts_first || one.text_description ? "--dataset" : "DATASET,--dataset");
  add_table_output(command, arguments->output);
  if (one.published) {
    command.add_flag("--published", arguments->published, "Show the paper's figures too");
  }
  if (one.count_option) {
    command.add_option(one.count_option, arguments->count, one.count_description)
        .range(std::uint64_t{1}, std::uint64_t{1'000'000'000}, "COUNT")
        .show_default();
  }
  if (one.list_option) {
    command.add_option(one.list_option, arguments->files, one.list_description)
        .one_value_a_time()
        .value_name(one.list_value);
  }
  if (one.text_description) {
    command.add_option("PIPELINE", arguments->text, one.text_description).required();
  }
  command.footer(one.examples);
  command.callback([&one, arguments] {
    const Runs runs = load(arguments->choice);
    put_tables(one.answer(runs, *arguments), arguments->output, fmt::format("query {}", one.name));
  });
}

void add_diff(Command query) {
  struct DiffArguments {
    QueryChoice a, b;
    TableOutput output;
  };
  const auto arguments = std::make_shared<DiffArguments>();
  Command command =
      query.add_subcommand("diff", "Two runs of the same data sets beside each other");
  command.add_option("A", arguments->a.directory, "Directory of one run's documents").required();
  command.add_option("B", arguments->b.directory, "That of the other run").required();
  add_table_output(command, arguments->output);
  command.footer(
      "The difference is that of B's ratio from A's, in percent of it.\n"
      "Example:\n  fpsynth query diff results/runs/plasma results/runs/plasma-preludes");
  command.callback([arguments] {
    put_tables(results::diff(load(arguments->a), load(arguments->b)), arguments->output,
               "query diff");
  });
}

}  // namespace

void add_query_choice(Command command, QueryChoice& choice, const std::string& names,
                      const std::string& what) {
  command.add_option(names, choice.data_set, "Only this data set");
  command.add_option("--runs", choice.directory, what).show_default();
  command.add_option("--precision", choice.precision, "Only this precision")
      .one_of_any_case({"double", "single", "half", "byte"})
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

  for (const Query& one : kQueries) add(query, one);
  add_diff(query);
  add_cards(query);
  add_claims(query);
  add_peers(query);
  add_pareto(query);
  add_timed(query);
}

}  // namespace fpsynth::cli
