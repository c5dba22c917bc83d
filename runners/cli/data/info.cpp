// fpsynth data info: the variables of files, and statistics of their values.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/data/structure_report.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/data/input.hpp"
#include "runners/data/statistics.hpp"
#include "runners/search/structure/structure.hpp"
#include "synth/common/json.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using data::Variable;
using synth::Precision;

/// Statistics of variables that were not named are made up to this size.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

struct InfoArguments : StudyArguments {
  std::string out;
  bool json = false, structure = false;
  unsigned candidates = 32;
};

/// A data set or variable, with its statistics in one precision, if it was read.
struct InfoRow {
  std::string file, name;
  data::ValueType type;
  std::optional<data::Statistics> statistics;
  std::optional<search::Structure> structure;
  std::optional<Variable> variable;  ///< of a file that has variables
  std::string refused;               ///< why it was not read
  bool failed = false;               ///< whether it should have been
};

nlohmann::ordered_json to_json(const InfoRow& row) {
  nlohmann::ordered_json json = {{"file", row.file}, {"name", row.name}};
  if (const auto& variable = row.variable) {
    json["variable"] = variable->name;
    json["type"] = variable->type;
    json["shape"] = variable->shape;
    json["storage"] = variable->storage;
    json["attributes"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : variable->attributes) json["attributes"][name] = value;
  }
  if (!row.statistics) {
    json["refused"] = row.refused;
    return json;
  }
  const data::Statistics& s = *row.statistics;
  if (!row.variable) json["type"] = synth::to_string(row.type);
  json["precision"] = synth::to_string(row.type.precision);
  json["bytes"] = s.bytes;
  json["values"] = s.values;
  json["tail_bytes"] = s.tail;
  json["unique"] = s.unique;
  json["unique_percent"] = s.unique_percent;
  json["entropy_bits"] = s.entropy_bits;
  json["randomness_percent"] = s.randomness_percent;
  if (row.structure) json["structure"] = structure_json(*row.structure);
  return json;
}

/// The variables of the rows, each once, with what the file says about their values.
void print_variables(const std::vector<InfoRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  bool attributes = false;
  const Variable* last = nullptr;
  std::string last_file;
  for (const InfoRow& row : rows) {
    if (!row.variable) continue;
    const Variable& variable = *row.variable;
    if (last && last->name == variable.name && last_file == row.file) continue;  // two precisions
    last = &variable;
    last_file = row.file;
    std::vector<std::string> remarks;
    if (!variable.storage.empty()) remarks.push_back(variable.storage);
    for (const auto& [name, value] : variable.attributes) {
      remarks.push_back(fmt::format("{} = {}", name, value));
      attributes = true;
    }
    if (!row.refused.empty()) remarks.push_back("not read: " + row.refused);
    lines.push_back({printable(row.file), variable.type, data::shape_text(variable.shape),
                     printable(joined(remarks, "; "))});
  }
  if (lines.empty()) return;
  std::size_t widths[3] = {};
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < 3; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : lines) {
    std::string text = fmt::format("{:{}}  {:{}}  {:{}}  {}", line[0], widths[0], line[1],
                                   widths[1], line[2], widths[2], line[3]);
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
  if (attributes) fmt::print("Values are as stored: no scale, offset or fill value is applied.\n");
  fmt::print("\n");
}

/// For people, the precision of what are no floats is their type.
results::Table table_of(const std::vector<InfoRow>& rows, const std::vector<std::string>& notes,
                        bool for_people) {
  results::Table table{
      .title = "Statistics of data sets, as in Table I of the MPC paper",
      .columns = results::columns(
          "data_set", "precision", "bytes", results::Column("size_mib", "size MiB", 1), "values",
          results::Column("values_millions", 2), "unique",
          results::Column("unique_percent", "unique %", 1), results::Column("entropy_bits", 2),
          results::Column("randomness_percent", "randomness %", 1), "type"),
      .notes = {"the papers' MB are MiB"}};
  for (const std::string& note : notes) table.notes.push_back(note);
  for (const InfoRow& row : rows) {
    if (!row.statistics) continue;
    const data::Statistics& s = *row.statistics;
    const std::string_view precision =
        for_people ? synth::precision_text(row.type) : synth::to_string(row.type.precision);
    table.add(row.name, precision, s.bytes, static_cast<double>(s.bytes) / (1 << 20), s.values,
              static_cast<double>(s.values) / 1e6, s.unique, s.unique_percent, s.entropy_bits,
              s.randomness_percent, synth::to_string(row.type));
  }
  return table;
}

/// Adds the notes on an opened data set, and its statistics in all wanted precisions.
void describe(const data::StudyItem& item, const InfoArguments& arguments,
              const std::vector<Precision>& precisions, InfoRow row, std::vector<InfoRow>& rows,
              std::vector<std::string>& notes) {
  const data::Input input = study::open_noted(item, &notes);
  row.name = input.name();
  for (const Precision precision : study::precisions_of(precisions, input)) {
    while_unchanged(input, [&] {
      const data::Input converted = input.in(precision);
      row.type = converted.type();
      row.statistics = data::statistics_of(converted.bytes(), precision);
      if (arguments.structure) {
        row.structure = search::find_structure(
            converted,
            {.candidates = arguments.candidates, .shape = study::known_shape(item, input)});
      }
    });
    rows.push_back(row);
  }
  if (const std::size_t tail = input.view().tail; tail > 0) {
    print_error("note: {}: the last {} {} no whole {}-byte word\n", printable(item.file.string()),
                counted(tail, "byte"), by_count(tail, "is", "are"),
                synth::word_bytes(input.native()));
  }
}

/// The beginning of the Errors of a variable that is not read.
std::string beginning_of_errors(const std::string& file) {
  return fmt::format("cannot read {}: ", file);
}

/// Why a variable that was not named is left out; empty if it is read.
std::string reason_against(const Variable& variable, const std::string& file, bool only_one) {
  if (!variable.refusal.empty()) return variable.refusal;
  if (!variable.held) return fmt::format("only {} are", data::kReadTypes);
  std::uint64_t values = 0;
  try {
    values = variable.values();
  } catch (const Error& error) {
    throw Error(beginning_of_errors(file) + error.what());
  }
  if (values == 0) return "it has no values";
  if (!only_one && values > kMostBytes / synth::word_bytes(*variable.held)) {
    return fmt::format("it has more than {} MiB; name it for its statistics", kMostBytes >> 20);
  }
  return {};
}

/// The rows of a file: one, or one for each of its variables.
void describe_file(const data::StudyItem& item, const InfoArguments& arguments,
                   const std::vector<Precision>& precisions, std::vector<InfoRow>& rows,
                   std::vector<std::string>& notes) {
  const data::Place place = data::place_of(item.file);
  InfoRow row;
  row.file = item.file.string();
  row.name = item.name;
  const bool a_file = !item.synthetic && !item.dataset && item.reading.offset == 0;
  const auto variables = a_file ? data::variables_of(place.file) : std::nullopt;
  if (!variables) return describe(item, arguments, precisions, row, rows, notes);
  if (!place.variable.empty()) {
    const auto named = std::ranges::find_if(*variables, [&](const Variable& variable) {
      return place.variable == variable.name || place.variable == variable.alias;
    });
    if (named != variables->end()) row.variable = *named;
    return describe(item, arguments, precisions, row, rows, notes);
  }
  if (variables->empty()) print_error("note: {} has no variables\n", printable(row.file));
  for (const Variable& variable : *variables) {
    data::StudyItem part = item;
    const data::Place part_place{place.file, variable.name};
    part.file = data::to_string(part_place);
    if (variables->size() > 1) part.name = data::data_set_name(part_place);
    row.file = part.file.string();
    row.name = part.name;
    row.variable = variable;
    row.failed = variable.damaged;
    try {
      row.refused = reason_against(variable, row.file, variables->size() == 1);
      if (row.refused.empty()) {
        describe(part, arguments, precisions, row, rows, notes);
        continue;
      }
    } catch (const Error& error) {  // the others can still be described
      if (variables->size() == 1) throw;
      row.refused = error.what();
      const std::string beginning = printable(beginning_of_errors(row.file));
      if (row.refused.starts_with(beginning)) row.refused.erase(0, beginning.size());
      row.failed = true;
    }
    rows.push_back(row);
  }
}

void print(const std::vector<InfoRow>& rows, bool json) {
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const InfoRow& row : rows) list.push_back(to_json(row));
    return fmt::print("{}\n", json_text(list, 2));
  }
  print_variables(rows);
  const results::Table table = table_of(rows, {}, true);
  if (!table.rows.empty()) fmt::print("{}", text_of({table}, false));
  for (const InfoRow& row : rows) {
    if (row.structure) print_structure(row.name, *row.structure);
  }
}

void info(const InfoArguments& arguments) {
  const data::Study study = study_of(arguments, "describe", true);
  refuse_to_replace_data(study, arguments.out);
  std::vector<InfoRow> rows;
  std::vector<std::string> notes;
  for (const data::StudyItem& item : study.items) {
    describe_file(item, arguments, study.precisions, rows, notes);
  }
  std::vector<std::string> failed;
  for (const InfoRow& row : rows) {
    if (row.failed) failed.push_back(printable(row.file));
  }
  if (!failed.empty()) notes.push_back(fmt::format("not read: {}", fmt::join(failed, ", ")));
  write_tables_out({table_of(rows, notes, false)},
                   {.json = false, .csv = false, .out = arguments.out}, "data info");
  print(rows, arguments.json);
  if (!failed.empty()) {
    raise("{} could not be read: {}; the list says why", counted(failed.size(), "variable"),
          fmt::join(failed, ", "));
  }
}

}  // namespace

void add_data_info(Command data) {
  Command command = data.add_subcommand(
      "info", "List variables, and describe values as Table I of the MPC paper does");
  auto arguments = std::make_shared<InfoArguments>();
  add_study_options(command, *arguments);
  command.add_flag("--json", arguments->json, "Print JSON with exact counts");
  add_out(command, arguments->out, "Also write the figures to this JSON document",
          results::kTablesSchema);
  command.add_flag("--structure", arguments->structure,
                   "Also look for structure that preludes can use, and list those it suggests");
  command
      .add_option("--candidates", arguments->candidates,
                  "With --structure: the most preludes that are suggested")
      .range(1u, 1000u)
      .show_default();
  command.footer(
      "Examples:\n"
      "  fpsynth data info num_plasma.trace.fpc --precision both\n"
      "  fpsynth data info data/*.f64\n"
      "  fpsynth data info field.bin --type f32\n"
      "  fpsynth data info ocean.nc\n"
      "  fpsynth data info ocean.nc:temperature --precision both\n"
      "  fpsynth data info num_plasma.trace.fpc --structure\n"
      "  fpsynth data info --json num_plasma.f64 | jq '.[0].entropy_bits'\n"
      "\n"
      "Of a file with several variables, all are listed, with statistics of those of at most 64 "
      "MiB.\n"
      "Values are as stored: no scale factor, offset or fill value is applied.\n"
      "A million is 10^6. Entropy is of first order, in bits per value; "
      "randomness\n"
      "is its share of what as many unique values could have at most. --structure estimates sizes\n"
      "from samples: it ranks preludes, and no pipeline is run.");
  command.callback([arguments] { info(*arguments); });
}

}  // namespace fpsynth::cli
