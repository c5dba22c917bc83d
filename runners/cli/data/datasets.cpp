// fpsynth data list, fetch, verify: described data sets.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/commands.hpp"
#include "runners/data/datasets.hpp"
#include "runners/data/fetch.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/standard_streams.hpp"

namespace fpsynth::cli {
namespace {

using data::Dataset;

struct Arguments {
  std::vector<std::string> names, registries;
  std::string folder;
  bool json = false, decode = false;
};

data::Registry registry_of(const Arguments& arguments) {
  data::Registry registry = data::Registry::built_in();
  for (const std::string& file : arguments.registries) registry.add(file);
  return registry;
}

std::vector<const Dataset*> chosen(const data::Registry& registry, const Arguments& arguments) {
  std::vector<const Dataset*> sets;
  for (const std::string& name : arguments.names) {
    for (const Dataset* set : registry.named(name)) sets.push_back(set);
  }
  return sets;
}

nlohmann::ordered_json to_json(const Dataset& set, const std::filesystem::path& folder) {
  nlohmann::ordered_json json = {{"name", set.name},
                                 {"family", set.family},
                                 {"kind", set.kind},
                                 {"description", set.description},
                                 {"precision", synth::to_string(set.native)},
                                 {"bytes", set.bytes},
                                 {"shape", set.shape},
                                 {"dimensionality", nullptr},
                                 {"file", set.file.string()},
                                 {"page", set.page},
                                 {"address", set.address},
                                 {"xxh3", set.xxh3},
                                 {"sha256", set.sha256},
                                 {"here", nullptr}};
  if (set.dimensionality > 0) json["dimensionality"] = set.dimensionality;
  if (const auto path = locate(set, folder)) json["here"] = path->string();
  return json;
}

void list(const Arguments& arguments) {
  const data::Registry registry = registry_of(arguments);
  const std::filesystem::path folder = data::data_folder(arguments.folder);
  std::vector<const Dataset*> sets = chosen(registry, arguments);
  if (arguments.names.empty()) {
    for (const Dataset& set : registry.sets()) sets.push_back(&set);
  }
  if (arguments.json) {
    auto json = nlohmann::ordered_json::array();
    for (const Dataset* set : sets) json.push_back(to_json(*set, folder));
    fmt::print("{}\n", json_text(json, 1));
    return;
  }
  results::Table table{.title = "Described data sets",
                       .columns = {{"name"},
                                   {"family"},
                                   {"precision"},
                                   {"bytes"},
                                   {"shape"},
                                   {"dimensionality"},
                                   {"here"},
                                   {"description"}},
                       .rows = {},
                       .notes = {}};
  for (const Dataset* set : sets) {
    using results::Cell;
    const auto path = locate(*set, folder);
    table.rows.push_back(
        {set->name, set->family, std::string(synth::to_string(set->native)), set->bytes,
         set->shape.empty() ? Cell() : Cell(fmt::format("{}", fmt::join(set->shape, "x"))),
         set->dimensionality ? Cell(std::uint64_t{set->dimensionality}) : Cell(),
         std::string(path ? "yes" : "no"), set->description});
  }
  table.notes.push_back(fmt::format("here: whether its file is in {}", folder.string()));
  fmt::print("{}", results::to_text({table}));
}

/// Calls a function on each set. Failures are reported and do not stop the others.
template <typename Work>
void for_each(const std::vector<const Dataset*>& sets, const char* failed, Work work) {
  if (sets.size() == 1) return work(*sets.front());
  std::size_t failures = 0;
  for (const Dataset* set : sets) {
    try {
      work(*set);
    } catch (const Error& error) {
      print_error("fpsynth: {}\n", error.what());
      ++failures;
    }
    std::fflush(stdout);
  }
  if (failures > 0) {
    throw Error(fmt::format("{} of {} data sets {}", failures, sets.size(), failed));
  }
}

void fetch(const Arguments& arguments) {
  const data::Registry registry = registry_of(arguments);
  const std::filesystem::path folder = data::data_folder(arguments.folder);
  for_each(chosen(registry, arguments), "were not fetched", [&](const Dataset& set) {
    data::fetch(set, folder, [](const std::string& line) {
      fmt::print("{}\n", line);
      std::fflush(stdout);
    });
    if (arguments.decode && set.fpc) {
      fmt::print("{}: decoded, {}\n", set.name, data::decode(set, folder).string());
    }
  });
}

void verify(const Arguments& arguments) {
  const data::Registry registry = registry_of(arguments);
  const std::filesystem::path folder = data::data_folder(arguments.folder);
  for_each(chosen(registry, arguments), "are wrong", [&](const Dataset& set) {
    const bool hashed = data::verify_dataset(set, folder);
    fmt::print("{}: {} bytes{}\n", set.name, set.bytes,
               hashed ? ", checksum matches" : "; no checksum is known for it");
  });
}

Command add(Command data, const char* name, const char* description,
            const std::shared_ptr<Arguments>& arguments, bool names_required) {
  Command command = data.add_subcommand(name, description);
  command.add_option("NAME", arguments->names, "Data sets or families").required(names_required);
  command.add_option("--dir", arguments->folder,
                     "Folder of the data; $FPSYNTH_DATA or data if left out");
  command.add_option("--registry", arguments->registries,
                     "Further files that describe data sets (configs/README.md)");
  return command;
}

}  // namespace

void add_data_sets(Command data) {
  auto arguments = std::make_shared<Arguments>();
  Command command =
      add(data, "list", "Show the data sets that are described here", arguments, false);
  command.add_flag("--json", arguments->json, "Print JSON, with addresses and checksums");
  command.footer("Examples:\n  fpsynth data list\n  fpsynth data list fpc --json");
  command.callback([arguments] { list(*arguments); });

  arguments = std::make_shared<Arguments>();
  command = add(data, "fetch", "Download data sets (with curl)", arguments, true);
  command.add_flag("--decode", arguments->decode, "Also write FPC sets as raw doubles (.f64)");
  command.footer(
      "Examples:\n"
      "  fpsynth data fetch num_plasma\n"
      "  fpsynth data fetch fpc --dir /scratch/data\n"
      "An interrupted download continues where it stopped.");
  command.callback([arguments] { fetch(*arguments); });

  arguments = std::make_shared<Arguments>();
  command =
      add(data, "verify", "Check size and, where known, checksum of data sets", arguments, true);
  command.footer("Example:\n  fpsynth data verify fpc --dir /scratch/data");
  command.callback([arguments] { verify(*arguments); });
}

}  // namespace fpsynth::cli
