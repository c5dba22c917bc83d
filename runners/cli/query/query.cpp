// `fpsynth query`: queries on the result documents of a study.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

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
std::vector<Table> published(const Runs& runs, const QueryArguments&) {
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

/// A query without options of its own.
template <std::vector<Table> (*of)(const Runs&)>
std::vector<Table> plain(const Runs& runs, const QueryArguments&) {
  return of(runs);
}
/// One that counts pipelines.
template <std::vector<Table> (*of)(const Runs&, std::size_t)>
std::vector<Table> of_count(const Runs& runs, const QueryArguments& asked) {
  return of(runs, asked.count);
}

struct Query {
  const char *name, *description;
  std::vector<Table> (*answer)(const Runs&, const QueryArguments&);
  const char* example;                 ///< behind "fpsynth query"; or the whole end of the help
  const char* published = nullptr;     ///< the description of --published
  std::size_t count = 0;               ///< the default of N or --top
  const char* count_option = "--top";  ///< or N, in front of which no data set stands
  void (*more)(Command, QueryArguments&) = nullptr;  ///< adds the others of its options
};

constexpr const char* kWithPapers = "Show the paper's figures too";

const Query kQueries[] = {
    {"best", "Best pipeline of each data set and of all (MPC paper, table II)", best,
     "best --published", kWithPapers},
    {"top", "The first N pipelines of each data set", of_count<results::top>,
     "top 20 --dataset num_plasma --precision double", nullptr, 10, "N"},
    {"overall", "The N best pipelines by harmonic mean over the data sets, and cross-validation",
     of_count<results::overall>, "overall 10 --precision double", nullptr, 10, "N"},
    {"pipeline", "One pipeline on every data set",
     [](const Runs& runs, const QueryArguments& asked) {
       return results::pipeline(runs, asked.text);
     },
     "A pipeline shorter than those searched is looked up with NULs before it.\n"
     "Example:\n  fpsynth query pipeline \"LNV6s BIT LNV1s ZE\"",
     nullptr, 0, "PIPELINE",
     [](Command command, QueryArguments& asked) {
       command
           .add_option("PIPELINE", asked.text, "Component names, | at the cut, in quotes; or an id")
           .required();
     }},
    {"means", "Harmonic means: of one pipeline for all, of each set's own best", means,
     "means --runs results/runs/mini", kWithPapers},
    {"components", "How often each component occurs in each stage of the best",
     [](const Runs& runs, const QueryArguments& asked) {
       return with_papers(results::components(runs, asked.count), asked,
                          results::published_components);
     },
     "components --top 1", "Also count in the pipelines that the paper prints", 100},
    {"patterns", "What the best pipelines have in common: kinds of components, reducers, cuts",
     [](const Runs& runs, const QueryArguments& asked) {
       return with_papers(results::patterns(runs, asked.count), asked, results::published_patterns);
     },
     "A pattern is the kinds of the components by stage: LNV LNV | DIM ZE.\n"
     "Examples:\n"
     "  fpsynth query patterns --runs results/runs/mini --published\n"
     "  fpsynth query patterns --top 20 --precision double --csv",
     "Also those of the pipelines that the paper prints", 1},
    {"common", "Whether one pipeline is the best in both precisions", plain<results::common>,
     "common --runs results/runs/mini"},
    {"dimensionality", "MPC against the one best pipeline, by the data sets' dimensionality",
     dimensionality,
     "Examples:\n"
     "  fpsynth compare --study mini --only mpc --out compare.json\n"
     "  fpsynth query dimensionality --runs results/runs/mini --compared compare.json",
     nullptr, 0, "",
     [](Command command, QueryArguments& asked) {
       command
           .add_option("--compared", asked.compared,
                       "A document of `fpsynth compare`; compare*.json in the directory are found")
           .one_value_a_time()
           .value_name("FILE");
     }},
    {"published", "The cuts and dimensionalities that fit the ratios the MPC paper prints",
     published, "published --runs results/runs/fpc"},
    {"stages", "Best ratio with fewer stages, and its share of the one with all (figure 2)", stages,
     "Examples:\n"
     "  fpsynth query stages --precision double\n"
     "  fpsynth query stages --runs results/runs/four --deeper results/runs/five --deeper "
     "results/runs/six",
     nullptr, 0, "",
     [](Command command, QueryArguments& asked) {
       command
           .add_option("--deeper", asked.deeper,
                       "A directory of searches of the same data sets with more stages, of all "
                       "pipelines or raced; may be given several times")
           .one_value_a_time()
           .value_name("DIR");
     }},
    {"distribution", "How the ratios of all pipelines of each data set spread",
     plain<results::distribution>, "distribution --dataset num_plasma"},
    {"preludes", "The preludes that searches tried, and what each gained", plain<results::preludes>,
     "preludes --runs results/runs/preludes"},
    {"races", "What races left, how much work they saved, and what they may lose",
     plain<results::races>, "races --runs results/runs/raced"},
    {"runs", "What was searched, how, on what, and how fast", plain<results::searches>,
     "runs --runs results/runs/mini"}};

void add(Command parent, const Query& query) {
  const auto arguments = std::make_shared<QueryArguments>();
  arguments->count = query.count;
  Command command = parent.add_subcommand(query.name, query.description);
  const std::string count = query.count_option;
  const bool operand = count == "N" || count == "PIPELINE";
  add_query_choice(command, arguments->choice, operand ? "--dataset" : "DATASET,--dataset");
  add_table_output(command, arguments->output);
  if (query.published) command.add_flag("--published", arguments->published, query.published);
  if (query.count > 0) {
    command
        .add_option(count, arguments->count,
                    operand ? "How many" : "How many pipelines of each data set to count")
        .range(std::uint64_t{1}, std::uint64_t{1'000'000'000}, "COUNT")
        .show_default();
  }
  if (query.more) query.more(command, *arguments);
  const std::string example = query.example;
  command.footer(example.find('\n') == example.npos ? "Example:\n  fpsynth query " + example
                                                    : example);
  command.callback([&query, arguments] {
    const Runs runs = load(arguments->choice);
    put_tables(query.answer(runs, *arguments), arguments->output,
               std::string("query ") + query.name);
  });
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

  for (const Query& one : kQueries) add(query, one);
  add_cards(query);
  add_claims(query);
  add_peers(query);
  add_matrix(query);
  add_pareto(query);
  add_timed(query);
}

}  // namespace fpsynth::cli
