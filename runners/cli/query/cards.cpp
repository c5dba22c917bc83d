// `fpsynth query cards`: what a study's data sets are, what compresses them best, and commands.

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "results/documents/document_file.hpp"
#include "results/queries/queries.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/data/file_type.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using results::Cell;
using results::Column;
using results::Measurement;
using results::Table;
using synth::Precision;

struct CardsArguments {
  std::string study, directory = kDefaultRuns;
  std::vector<std::string> compared;
  TableOutput output;
};

constexpr std::string_view kMpc = "MPC", kCopy = "memcpy";

/// The knowledge of data sets: their description in a document of `data info`, and what was
/// measured on them and found for them.
struct Known {
  std::vector<std::pair<std::string, std::vector<Cell>>> statistics;  ///< of the first type alone
  std::vector<Measurement> measured;
  std::optional<results::Runs> runs;

  void read(const std::filesystem::path& file);
  const results::Document* search_of(const std::string& name, Precision precision) const;
  std::vector<const Measurement*> measured_on(const std::string& name, Precision precision) const;
  bool has(const std::string& name) const;
};

void Known::read(const std::filesystem::path& file) {
  const JsonFile json = JsonFile::read(file, JsonAuthor::Program);
  const JsonValue root = json.root();
  if (root["schema"].text() != results::kTablesSchema || root["kind"].text() != "data info") {
    std::ranges::copy(results::measurements(file), std::back_inserter(measured));
    return;
  }
  root.version_of(results::kTablesSchema, results::kTablesVersion);
  for (const JsonValue& row : root["tables"].some_items().front()["rows"].items()) {
    const auto figure = [&](const char* key) {
      return row[key].is_null() ? Cell() : Cell(row[key].real());
    };
    const std::string name = row["data_set"].some_text();
    if (row["bytes"].is_null() ||
        std::ranges::count(statistics, name, [](const auto& one) { return one.first; }) > 0) {
      continue;
    }
    const auto type = row.has("type")  // not in documents of 1.0.0
                          ? synth::type_called(row["type"].text(), &synth::NamedType::name)
                          : std::nullopt;
    const std::string text(type ? synth::precision_text(*type) : row["precision"].text());
    statistics.emplace_back(name,
                            results::cells(text, row["bytes"].whole(), figure("unique_percent"),
                                           figure("entropy_bits"), figure("randomness_percent")));
  }
}

const results::Document* Known::search_of(const std::string& name, Precision precision) const {
  if (!runs) return nullptr;
  for (const results::Document* one : runs->searched()) {
    if (one->data.name == name && one->data.precision == precision && !one->ranking.empty()) {
      return one;
    }
  }
  return nullptr;
}

std::vector<const Measurement*> Known::measured_on(const std::string& name,
                                                   Precision precision) const {
  std::vector<const Measurement*> found;
  for (const Measurement& one : measured) {
    if (one.data_set == name && one.precision == precision && one.compressor != kCopy &&
        !one.compressor.starts_with("sweep ")) {
      found.push_back(&one);
    }
  }
  return found;
}

bool Known::has(const std::string& name) const {
  return std::ranges::any_of(statistics, [&](const auto& one) { return one.first == name; }) ||
         std::ranges::any_of(synth::kPrecisions, [&](Precision precision) {
           return search_of(name, precision) || !measured_on(name, precision).empty();
         });
}

/// The best that was searched, MPC, and the best of the other compressors, in each precision.
void add_best(Table& table, const std::string& name, const Known& known) {
  for (const Precision precision : synth::kPrecisions) {
    struct Row {
      std::string_view kind;
      std::string compressor;
      double ratio;
      const Measurement* speed;
    };
    std::vector<Row> rows;
    const Measurement *own = nullptr, *mpc = nullptr, *other = nullptr;
    for (const Measurement* one : known.measured_on(name, precision)) {
      auto& its = one->compressor == results::kBestSearched ? own
                  : one->compressor == kMpc                 ? mpc
                                                            : other;
      if (!its || one->ratio > its->ratio) its = one;
    }
    if (const results::Document* const search = known.search_of(name, precision)) {
      const std::uint64_t best = search->ranking.front();
      const std::string pipeline = search->text_at(best);
      const bool timed = own && own->pipeline == pipeline;
      rows.push_back(
          {results::kBestSearched, pipeline, search->ratio(best), timed ? own : nullptr});
    }
    if (mpc) rows.push_back({kMpc, mpc->compressor, mpc->ratio, mpc});
    if (other) rows.push_back({"best of the others", other->compressor, other->ratio, other});
    double highest = 0;
    for (const Row& row : rows) highest = std::max(highest, row.ratio);
    for (const auto& [kind, compressor, ratio, speed] : rows) {
      table.add(name, precision, kind, compressor, ratio,
                speed ? results::cells(speed->compress, speed->decompress) : std::vector<Cell>(2),
                ratio == highest ? "yes" : "no");
    }
  }
}

void add_description(Table& table, const std::string& name, const data::Dataset* set,
                     const Known& known) {
  std::vector<std::string> texts;
  if (set) {
    for (const std::string& text : {set->description, set->field, set->licence}) {
      if (!text.empty()) texts.push_back(text);
    }
  }
  const auto found =
      std::ranges::find(known.statistics, name, [](const auto& one) { return one.first; });
  if (found != known.statistics.end()) {
    table.add(name, joined(texts, "; "), found->second);
  } else if (!texts.empty()) {
    table.add(name, joined(texts, "; "));
  }
}

/// Commands that get the data, search them, and make use of the best pipeline.
void add_commands(Table& table, const data::StudyItem& item, const data::Dataset* set,
                  const Known& known) {
  const auto add = [&](const char* what, const std::string& command) {
    table.add(item.name, what, "fpsynth " + command);
  };
  std::string file;
  data::ValueType native;
  if (item.synthetic) {
    file = fmt::format("{}.f64", item.synthetic->name);
    add("make the data", fmt::format("data make {} --bytes {}", item.synthetic->name, item.bytes));
  } else {
    file = set ? set->file.string() : item.file.filename().string();
    if (set) {
      native = set->native;
    } else if (const auto type = data::type_of_ending(data::ending_of(file))) {
      native = *type;
    }
    if (set && (!set->address.empty() || set->package)) {
      table.add(item.name, "fetch the data", "configs/datasets/fetch.py " + shell_word(item.name));
    }
  }
  file = "data/" + file;
  add("search", fmt::format("search {}{} --out {}", shell_word(file),
                            native == Precision::Double ? " --precision both" : "",
                            shell_word("results/runs/" + item.name)));
  const results::Document* const search = known.search_of(item.name, native.precision);
  if (!search) return;
  const std::string pipeline = search->text_at(search->ranking.front());
  std::string stem = item.name;
  std::ranges::replace_if(
      stem, [](unsigned char c) { return !std::isalnum(c); }, '_');
  if (data::is_fpc_name(file)) {
    add("as raw values", fmt::format("data decode {} {}.f64", shell_word(file), stem));
    file = stem + ".f64";
  }
  add("compress with its best pipeline",
      fmt::format("compress \"{}\" {} {}.fps", pipeline, shell_word(file), stem));
  add("generate a codec", fmt::format("generate \"{}\" --precision {} --name {} --out {}_codec",
                                      pipeline, to_string(native.precision), stem, stem));
}

void query_cards(const CardsArguments& arguments) {
  const data::Study study = data::read_study(config_file(arguments.study, "studies"));
  const std::string directory = directory_of_runs(arguments.directory);
  Known known;
  if (!results::document_files(directory).empty()) known.runs = results::load_runs(directory);
  for (const auto& file : comparison_files(directory, arguments.compared)) known.read(file);
  const data::Registry registry = data::Registry::built_in();
  std::vector<Table> tables = {
      {.title = "The best of each data set",
       .columns = columns("data_set", "precision", "kind", "compressor", Column("ratio", "CR"),
                          Column("compress_gb_per_s", "compress GB/s", 2),
                          Column("decompress_gb_per_s", "decompress GB/s", 2), "highest")},
      {.title = "What the data sets are",
       .columns = columns("data_set", "description", "type", "bytes",
                          Column("unique_percent", "unique %", 1), Column("entropy_bits", 1),
                          Column("randomness_percent", "randomness %", 1))},
      {.title = "Commands", .columns = {{"data_set"}, {"what"}, {"command"}}}};
  if (known.runs) tables[0].notes = known.runs->notes();
  for (const data::StudyItem& item : study.items) {
    if (!known.has(item.name)) continue;
    // A synthetic set may have the name of one of the papers'.
    const data::Dataset* const set = item.dataset     ? &*item.dataset
                                     : item.synthetic ? nullptr
                                                      : registry.find(item.name);
    add_best(tables[0], item.name, known);
    add_description(tables[1], item.name, set, known);
    add_commands(tables[2], item, set, known);
  }
  put_tables(tables, arguments.output, "query cards");
}

}  // namespace

void add_cards(Command query) {
  Command command = query.add_subcommand(
      "cards", "What a study's data sets are, what compresses them best, and commands to copy");
  const auto arguments = std::make_shared<CardsArguments>();
  command
      .add_option("--study", arguments->study,
                  "Study file, or the name of one that comes with fpsynth")
      .required();
  command.add_option("--runs", arguments->directory, "Directory of the result documents")
      .show_default();
  add_compared(command, arguments->compared,
               "A document of `fpsynth compare` or of `data info`; compare*.json in the directory "
               "are found");
  add_table_output(command, arguments->output);
  command.callback([arguments] { query_cards(*arguments); });
  command.footer(
      "Examples:\n"
      "  fpsynth query cards --study mini --runs results/runs/mini\n"
      "  fpsynth data info --study mini --out statistics.json\n"
      "  fpsynth query cards --study mini --runs results/runs/mini --compared statistics.json "
      "--table 2");
}

}  // namespace fpsynth::cli
