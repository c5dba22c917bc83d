// fpsynth bench strategies: what a race loses against the exhaustive search, and what others lose
// that evaluate as much as it does.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/documents/document_file.hpp"
#include "results/documents/runs.hpp"
#include "results/queries/table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/cli/studies.hpp"
#include "runners/data/description.hpp"
#include "runners/search/race/race.hpp"
#include "runners/search/strategies/comparison.hpp"
#include "runners/search/strategies/strategies.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;
using results::Table;
using search::Comparison;

struct BenchStrategiesArguments {
  std::string runs = "results/runs", data_set, precision;
  std::vector<std::string> data;
  std::uint64_t seeds = 25, races = 1;
  search::RaceOptions race;
  int threads = 0;
  TableOutput output;
};

/// Why a document cannot be compared with; empty if it can.
std::string objection(const results::Document& document) {
  if (results::raced(document)) return "raced";
  if (!document.run.complete) return "not complete";
  if (document.data.hdf5) return "within HDF5 chunks";
  return "";
}

bool wanted(const BenchStrategiesArguments& arguments, const results::Document& document) {
  return (arguments.data_set.empty() || document.data.name == arguments.data_set) &&
         (arguments.precision.empty() ||
          arguments.precision == synth::to_string(document.data.precision));
}

Comparison compare(const BenchStrategiesArguments& arguments, const results::Document& document,
                   const std::function<void(const std::string&)>& say) {
  const std::vector<std::filesystem::path> folders(arguments.data.begin(), arguments.data.end());
  const data::Input input = data::open_described(document.data, folders);
  const search::StrategyComparison comparison(document);
  search::SearchOptions options;
  options.threads = arguments.threads;
  options.sample = document.run.sample;
  std::vector<search::RaceFinding> races;
  for (std::uint64_t i = 0; i < arguments.races; ++i) {
    search::RaceOptions race = arguments.race;
    race.seed += i;
    race.progress = [&](const search::RaceProgress& progress) {
      say(fmt::format("race {} of {}, round {}: {:.0f} %", i + 1, arguments.races, progress.round,
                      100 * progress.done));
    };
    const search::Raced raced =
        search::race(input, document.space.without_preludes(), race, {}, options);
    races.push_back(comparison.finding(raced.race, raced.space));
  }
  say("random sampling, genetic algorithm, beam search");
  return comparison.against(std::move(races), arguments.seeds);
}

/// A figure of each race.
std::vector<double> each(const Comparison& comparison, auto figure) {
  std::vector<double> values;
  for (const search::RaceFinding& race : comparison.races) values.push_back(figure(race));
  return values;
}

Table table_of(const std::vector<Comparison>& comparisons,
               const BenchStrategiesArguments& arguments, std::vector<std::string> notes) {
  Table table{.title = "Regret: bytes above those of the best pipeline of all, in percent",
              .columns = {{"data_set"},
                          {"precision"},
                          {"best_ratio", "best CR"},
                          {"races"},
                          {"winner_found"},
                          {"race_worst_percent", "race worst %"},
                          {"survivors", 0},
                          {"saved_factor", "saved", 1},
                          {"budget"}},
              .notes = std::move(notes)};
  for (const search::Strategy& strategy : search::strategies()) {
    table.columns.push_back(
        {fmt::format("{}_median_percent", strategy.key), fmt::format("{} %", strategy.name)});
    if (!strategy.draws) continue;
    table.columns.push_back(
        {fmt::format("{}_worst_percent", strategy.key), fmt::format("{} worst %", strategy.name)});
  }
  for (const Comparison& one : comparisons) {
    const auto regrets =
        each(one, [](const search::RaceFinding& race) { return race.regret_percent; });
    const auto survivors =
        each(one, [](const search::RaceFinding& race) { return double(race.survivors); });
    auto& row = table.rows.emplace_back(
        results::cells(one.data.name, one.data.precision, one.best_ratio, one.races.size(),
                       std::ranges::count(regrets, 0.0), std::ranges::max(regrets),
                       results::median(survivors), one.saved_factor(), one.budget));
    for (std::size_t i = 0; i < one.strategies.size(); ++i) {
      row.emplace_back(one.strategies[i].median_percent());
      if (search::strategies()[i].draws) row.emplace_back(one.strategies[i].worst_percent());
    }
  }
  table.notes.push_back(fmt::format(
      "race: margin {}, risk {}, seeds {} to {}; winner found: in how many of the races, with "
      "survivors (median) searched on all chunks",
      arguments.race.margin, arguments.race.risk, arguments.race.seed,
      arguments.race.seed + arguments.races - 1));
  table.notes.push_back(
      "saved: sizes of a distinct pipeline on a chunk, of the exhaustive search / of the race, its "
      "survivors' on all chunks included");
  std::vector<std::string_view> names;
  for (const search::Strategy& strategy : search::strategies()) names.push_back(strategy.name);
  table.notes.push_back(fmt::format(
      "budget: evaluations of a pipeline on all chunks that cost as much as the race; what {} "
      "find with them, over {}, medians and worst (beam search draws nothing)",
      fmt::join(names, ", "), counted(arguments.seeds, "seed")));
  return table;
}

/// Figures that JSON has no number for are null.
Json figure(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_of(const Comparison& one) {
  Json races = Json::array(), strategies = Json::object();
  for (const search::RaceFinding& race : one.races) {
    races.push_back({{"seed", race.seed},
                     {"winner_found", race.regret_percent == 0},
                     {"regret_percent", figure(race.regret_percent)},
                     {"survivors", race.survivors},
                     {"chunk_evaluations", race.chunk_evaluations}});
  }
  for (const search::StrategyFinding& found : one.strategies) {
    Json regrets = Json::array();
    for (const double regret : found.regrets_percent) regrets.push_back(figure(regret));
    strategies[std::string(found.key)] = {{"median_regret_percent", figure(found.median_percent())},
                                          {"worst_regret_percent", figure(found.worst_percent())},
                                          {"most_evaluations", found.evaluations},
                                          {"regrets_percent", std::move(regrets)}};
  }
  return {{"data_set", one.data.name},
          {"precision", synth::to_string(one.data.precision)},
          {"xxh3", one.data.xxh3},
          {"bytes", one.data.bytes},
          {"chunks", one.chunks},
          {"distinct_pipelines", one.pipelines},
          {"best_bytes", one.best.bytes},
          {"best_ratio", one.best_ratio},
          {"best_pipeline", one.best_pipeline},
          {"races", std::move(races)},
          {"saved_factor", one.saved_factor()},
          {"budget", one.budget},
          {"strategies", std::move(strategies)}};
}

void print(const std::vector<Comparison>& comparisons, const BenchStrategiesArguments& arguments,
           const std::vector<std::string>& notes) {
  BenchArguments shared;
  for (const Comparison& one : comparisons) {
    if (std::ranges::find(shared.files, one.data.name) == shared.files.end()) {
      shared.files.push_back(one.data.name);
    }
  }
  Json run = provenance(shared);
  for (const char* key : {"threads", "precision", "chunks", "repetitions"}) run.erase(key);
  run["margin"] = arguments.race.margin;
  run["risk"] = arguments.race.risk;
  run["seeds"] = arguments.seeds;
  run["population"] = search::kPopulation;
  run["generations"] = search::kGenerations;
  Json rows = Json::array();
  for (const Comparison& one : comparisons) rows.push_back(json_of(one));
  put_benchmark("strategies", run, rows, table_of(comparisons, arguments, notes), arguments.output,
                {{"notes", notes}});
}

void bench_strategies(const BenchStrategiesArguments& arguments) {
  arguments.race.check();
  const auto files = results::document_files(arguments.runs);
  if (files.empty()) {
    throw Error(fmt::format("{} has no results; search exhaustively with `fpsynth search --out {}`",
                            arguments.runs, arguments.runs));
  }
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;
  {
    const study::ProgressLine line;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const results::Document document = results::read_document(files[i]);
      if (!wanted(arguments, document)) continue;
      const std::string label = results::label(document);
      if (const std::string why = objection(document); !why.empty()) {
        notes.push_back(fmt::format("{} is left out: {}", label, why));
        continue;
      }
      comparisons.push_back(compare(arguments, document, [&](const std::string& doing) {
        line.show(fmt::format("[{}/{}] {}: {}", i + 1, files.size(), label, doing));
      }));
    }
  }
  if (comparisons.empty()) {
    std::string message =
        fmt::format("{} has no complete exhaustive search that was asked for", arguments.runs);
    for (const std::string& note : notes) message += fmt::format("; {}", note);
    throw Error(message);
  }
  print(comparisons, arguments, notes);
}

}  // namespace

void add_bench_strategies(Command bench) {
  const auto arguments = std::make_shared<BenchStrategiesArguments>();
  Command command = bench.add_subcommand(
      "strategies", "Races, and other ways to search, against exhaustive searches");
  command
      .add_option("--runs", arguments->runs,
                  "Directory of exhaustive searches; the data are raced again, other strategies "
                  "are looked up")
      .show_default();
  command
      .add_option("--data", arguments->data,
                  "A directory that holds the search's files. May be given repeatedly")
      .one_value_a_time()
      .value_name("DIR");
  command.add_option("--dataset", arguments->data_set, "Only this data set");
  command.add_option("--precision", arguments->precision, "Only this precision")
      .one_of({"double", "single"});
  command.add_option("--races", arguments->races, "Races of each data set, with further seeds")
      .range(std::uint64_t{1}, std::uint64_t{1000})
      .show_default();
  command.add_option("--seeds", arguments->seeds, "Times that strategies draw, with seeds from 1")
      .range(std::uint64_t{1}, std::uint64_t{100000})
      .show_default();
  command
      .add_option("--margin", arguments->race.margin,
                  "Share of the best's bytes by which a race may miss it")
      .show_default();
  command.add_option("--risk", arguments->race.risk, "Of a race to drop one that is better by more")
      .show_default();
  command.add_option("--seed", arguments->race.seed, "Of the first race").show_default();
  command.add_threads(arguments->threads, "Threads of races; as many as OpenMP has if left out");
  add_output(command, arguments->output);
  command.footer(
      "The others get as many evaluations of a pipeline on all chunks as cost what the race cost, "
      "and their sizes are\n"
      "looked up in the exhaustive search: random sampling without replacement; a genetic "
      "algorithm (16 individuals,\n"
      "16 generations, started again until the budget is used up); a beam search over the "
      "stages.\n"
      "Examples:\n"
      "  fpsynth bench strategies --runs results/runs/mini\n"
      "  fpsynth bench strategies --runs results/runs/corpus --races 5 --seeds 100 --json");
  command.callback([arguments] { bench_strategies(*arguments); });
}

}  // namespace fpsynth::cli
