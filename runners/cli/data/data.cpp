// fpsynth data: make, decode, encode and describe data sets.

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/fcm_predictor.hpp"
#include "runners/data/fpc.hpp"
#include "runners/data/input.hpp"
#include "runners/data/statistics.hpp"
#include "runners/data/synthetic_sets.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using synth::Precision;

struct MakeArguments {
  std::vector<std::string> sets;
  std::string folder = "data";
  std::uint64_t bytes = data::kSyntheticBytes;
  bool force = false;
};

struct ConvertArguments {
  std::string input, output;
  TypeOption type;  ///< for encode
  unsigned table_bits = data::kFpcTableBits;
  bool force = false;
};

struct InfoArguments : StudyArguments {
  std::string out;
  bool json = false;
};

/// Whether a file exists and holds these bytes.
bool holds(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) != bytes.size() || error) return false;
  return std::ranges::equal(codec::Input::open(path.string()).bytes(), bytes);
}

void make(const MakeArguments& arguments) {
  std::vector<const data::SyntheticSet*> sets;
  for (const std::string& name : arguments.sets) sets.push_back(&data::synthetic_set(name));
  if (sets.empty()) {
    for (const data::SyntheticSet& set : data::synthetic_sets()) sets.push_back(&set);
  }
  const std::filesystem::path folder = arguments.folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot create the folder {}: {}; name another one with --out",
                            folder.string(), error.message()));
  }
  for (const data::SyntheticSet* set : sets) {
    const data::Input input = data::make_input(*set, arguments.bytes);
    const std::filesystem::path path = folder / fmt::format("{}.f64", set->name);
    if (holds(path, input.bytes())) {
      fmt::print("{} is up to date\n", path.string());
      continue;
    }
    if (std::filesystem::exists(path, error) && !arguments.force) {
      throw Error(
          fmt::format("{} exists with different content; replace it with --force or name "
                      "another folder with --out",
                      path.string()));
    }
    AtomicFile file(path);
    file.write(input.bytes());
    file.commit();
    fmt::print("{}: {} bytes, {}\n", path.string(), input.bytes().size(), set->description);
  }
}

void decode(const ConvertArguments& arguments) {
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto sink = codec::open_sink(arguments.output, arguments.force);
  const codec::Input file = codec::Input::open(arguments.input);
  sink->write(while_unchanged(file, [&] { return data::decode_fpc(file.bytes(), file.name()); }));
  sink->finish();
}

void encode(const ConvertArguments& arguments) {
  codec::refuse_same_file(arguments.input, arguments.output);
  const auto sink = codec::open_sink(arguments.output, arguments.force);
  if (arguments.input == "-") {
    const codec::Input pipe = codec::Input::open(arguments.input);
    if (type_of(pipe, arguments.type) != Precision::Double) {
      throw UsageError("--type f32: FPC files hold doubles, and singles are not converted to them");
    }
    sink->write(while_unchanged(
        pipe, [&] { return data::encode_fpc(pipe.bytes(), arguments.table_bits); }));
  } else {
    const data::Input doubles =
        data::open_input(arguments.input, arguments.type.said()).in(Precision::Double);
    while_unchanged(doubles, [&] {
      try {
        sink->write(data::encode_fpc(doubles.bytes(), arguments.table_bits));
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", arguments.input, error.what()), error.status());
      }
    });
  }
  sink->finish();
}

struct Row {
  std::string file, name;
  Precision precision;
  data::Statistics statistics;
};

void print_json(const std::vector<Row>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    list.push_back({{"file", row.file},
                    {"name", row.name},
                    {"precision", synth::to_string(row.precision)},
                    {"bytes", row.statistics.bytes},
                    {"values", row.statistics.values},
                    {"tail_bytes", row.statistics.tail},
                    {"unique", row.statistics.unique},
                    {"unique_percent", row.statistics.unique_percent},
                    {"entropy_bits", row.statistics.entropy_bits},
                    {"randomness_percent", row.statistics.randomness_percent}});
  }
  // Paths need not be UTF-8.
  fmt::print("{}\n", json_text(list, 2));
}

void print_table(const std::vector<Row>& rows) {
  std::size_t width = 4;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  fmt::print("{:{}}  {:9}  {:>12}  {:>8}  {:>11}  {:>9}  {:>8}  {:>7}  {:>10}\n", "", width, "",
             "size", "size", "values", "values", "unique", "entropy", "randomness");
  fmt::print("{:{}}  {:9}  {:>12}  {:>8}  {:>11}  {:>9}  {:>8}  {:>7}  {:>10}\n", "name", width,
             "precision", "bytes", "MB", "", "millions", "percent", "bits", "percent");
  for (const Row& row : rows) {
    const data::Statistics& s = row.statistics;
    fmt::print("{:{}}  {:9}  {:>12}  {:>8.1f}  {:>11}  {:>9.2f}  {:>8.1f}  {:>7.2f}  {:>10.1f}\n",
               row.name, width, synth::to_string(row.precision), s.bytes,
               static_cast<double>(s.bytes) / (1 << 20), s.values,
               static_cast<double>(s.values) / 1e6, s.unique_percent, s.entropy_bits,
               s.randomness_percent);
  }
}

results::Table table_of(const std::vector<Row>& rows, const std::vector<std::string>& notes) {
  results::Table table{.title = "Statistics of data sets, as in Table I of the MPC paper",
                       .columns = {{"data_set"},
                                   {"precision"},
                                   {"bytes"},
                                   {"size_mib", "size MB", 1},
                                   {"values"},
                                   {"values_millions", 2},
                                   {"unique"},
                                   {"unique_percent", "unique %", 1},
                                   {"entropy_bits", 2},
                                   {"randomness_percent", "randomness %", 1}},
                       .rows = {},
                       .notes = {"a MB is 2^20 bytes"}};
  for (const std::string& note : notes) table.notes.push_back(note);
  for (const Row& row : rows) {
    const data::Statistics& s = row.statistics;
    table.rows.push_back({row.name, std::string(synth::to_string(row.precision)),
                          std::uint64_t{s.bytes}, static_cast<double>(s.bytes) / (1 << 20),
                          std::uint64_t{s.values}, static_cast<double>(s.values) / 1e6,
                          std::uint64_t{s.unique}, s.unique_percent, s.entropy_bits,
                          s.randomness_percent});
  }
  return table;
}

void info(const InfoArguments& arguments) {
  const data::Study study = study_of(arguments, "describe", true);
  std::vector<Row> rows;
  std::vector<std::string> notes;
  for (const data::StudyItem& item : study.items) {
    const data::Input input = item.open();
    if (const auto note = unlike_published(item, input)) {
      print_error("note: {}\n", *note);
      notes.push_back(*note);
    }
    for (const Precision precision : precisions_of(study.precisions, input)) {
      rows.push_back({item.file.string(), input.name(), precision, while_unchanged(input, [&] {
                        return data::statistics_of(input.in(precision).bytes(), precision);
                      })});
    }
    if (const std::size_t tail = input.view().tail; tail > 0) {
      print_error("note: {}: the last {} {} no whole {}-byte word\n", item.file.string(),
                  counted(tail, "byte"), by_count(tail, "is", "are"),
                  synth::word_bytes(input.native()));
    }
  }
  write_tables_out({table_of(rows, notes)}, {.json = false, .csv = false, .out = arguments.out},
                   "data info");
  arguments.json ? print_json(rows) : print_table(rows);
}

void add_make(Command data) {
  Command command = data.add_subcommand("make", "Make data sets by small computations");
  auto arguments = std::make_shared<MakeArguments>();
  command.add_option("SET", arguments->sets, "Names of sets; all if left out");
  command.add_option("--out", arguments->folder, "Folder for the files SET.f64").show_default();
  command.add_option("--bytes", arguments->bytes, "Size of each set; such as 128K or 1M")
      .sizes()
      .show_default();
  command.add_flag("--force", arguments->force, "Replace files with different content");
  std::string sets;
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    sets += fmt::format("  {:13} {}\n", set.name, set.description);
  }
  command.footer("The sets, the same to the bit on every machine:\n" + sets +
                 "\n"
                 "Examples:\n"
                 "  fpsynth data make\n"
                 "  fpsynth data make --out /tmp/made --bytes 1M num_lorenz obs_track");
  command.callback([arguments] { make(*arguments); });
}

void add_decode(Command data) {
  Command command = data.add_subcommand("decode", "Decode an FPC file to raw doubles");
  auto arguments = std::make_shared<ConvertArguments>();
  command.add_option("IN", arguments->input, "FPC file; - is standard input").required();
  command.add_option("OUT", arguments->output, "Raw file to write; - is standard output")
      .required();
  command.add_flag("--force", arguments->force, "Replace OUT if it exists");
  command.footer(
      "Examples:\n"
      "  fpsynth data decode num_plasma.trace.fpc num_plasma.f64\n"
      "  fpsynth data decode num_plasma.trace.fpc - | sha256sum\n"
      "\n"
      "FPC files have no checksum: a damaged file may decode to wrong values without a\n"
      "message. fpsynth data verify compares the values of sets whose checksum is known.");
  command.callback([arguments] { decode(*arguments); });
}

void add_encode(Command data) {
  Command command = data.add_subcommand("encode", "Encode raw doubles as an FPC file");
  auto arguments = std::make_shared<ConvertArguments>();
  command.add_option("IN", arguments->input, "Raw or FPC file; - is standard input, raw")
      .required();
  command.add_option("OUT", arguments->output, "FPC file to write; - is standard output")
      .required();
  add_type(command, arguments->type);
  command
      .add_option("--table-bits", arguments->table_bits,
                  "Two predictor tables of 2^P entries of 8 bytes; 22 as in the published files")
      .value_name("P")
      .show_default()
      .range(data::kMinTableBits, data::kMaxTableBits);
  command.add_flag("--force", arguments->force, "Replace OUT if it exists");
  command.footer(
      "Examples:\n"
      "  fpsynth data encode num_plasma.f64 num_plasma.fpc\n"
      "  fpsynth data encode num_plasma.f64 small.fpc --table-bits 16\n"
      "  simulate | fpsynth data encode - plasma.fpc --type f64\n"
      "\n"
      "FPC files have no checksum: a damaged one may decode to wrong values without a message.\n"
      " Keep a checksum of your own beside it.");
  command.callback([arguments] { encode(*arguments); });
}

void add_info(Command data) {
  Command command =
      data.add_subcommand("info", "Describe data sets as Table I of the MPC paper does");
  auto arguments = std::make_shared<InfoArguments>();
  add_study_options(command, *arguments, "--native");
  command.add_flag("--json", arguments->json, "Print JSON with exact counts");
  command.add_option("--out", arguments->out, "Also write the figures to this JSON document");
  command.footer(
      "Examples:\n"
      "  fpsynth data info num_plasma.trace.fpc --precision both\n"
      "  fpsynth data info data/*.f64\n"
      "  fpsynth data info field.bin --type f32\n"
      "  fpsynth data info --json num_plasma.f64 | jq '.[0].entropy_bits'\n"
      "\n"
      "A MB is 2^20 bytes, a million 10^6. Entropy is of first order, in bits per value; "
      "randomness\n"
      "is its share of what as many unique values could have at most.");
  command.callback([arguments] { info(*arguments); });
}

}  // namespace

void add_data(Command app) {
  Command command =
      app.add_subcommand("data", "Make, fetch, decode, encode and describe data sets");
  command.require_subcommand();
  command.footer(
      "Examples:\n"
      "  fpsynth data make --bytes 1M\n"
      "  fpsynth data fetch num_plasma\n"
      "  fpsynth data decode num_plasma.trace.fpc num_plasma.f64\n"
      "  fpsynth data info num_plasma.f64 --precision both\n"
      "\n"
      "fpsynth data COMMAND --help explains a command.");
  add_make(command);
  add_decode(command);
  add_encode(command);
  add_info(command);
  add_data_sets(command);
}

}  // namespace fpsynth::cli
