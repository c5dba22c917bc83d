// fpsynth data list: described data sets.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/data/registry/datasets.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using data::Dataset;

struct DataArguments {
  std::vector<std::string> names, registries;
  std::string folder;
  bool json = false, verify = false;
};

std::optional<std::string_view> source_of(const data::Dimensionality& described) {
  if (described.value == 0) return std::nullopt;
  return data::kDimensionalitySources[std::size_t(described.from)];
}

nlohmann::ordered_json to_json(const Dataset& set, const std::filesystem::path& folder) {
  nlohmann::ordered_json json = {{"name", set.name},
                                 {"family", set.family},
                                 {"kind", set.kind},
                                 {"description", set.description},
                                 {"precision", synth::to_string(set.native.precision)},
                                 {"type", synth::to_string(set.native)},
                                 {"bytes", set.bytes},
                                 {"shape", set.shape},
                                 {"dimensionality", nullptr},
                                 {"dimensionality_from", nullptr},
                                 {"file", set.file.string()},
                                 {"page", set.page},
                                 {"address", set.address},
                                 {"field", set.field},
                                 {"licence", set.licence},
                                 {"package", nullptr},
                                 {"xxh3", set.xxh3},
                                 {"sha256", set.sha256},
                                 {"here", nullptr}};
  if (const auto from = source_of(set.dimensionality)) {
    json["dimensionality"] = set.dimensionality.value;
    json["dimensionality_from"] = *from;
  }
  if (set.package) {
    json["package"] = {{"kind", data::kind_of(*set.package)},
                       {"name", set.package->name},
                       {"version", set.package->version},
                       {"path", set.package->path.string()},
                       {"variable", set.package->variable}};
  }
  if (const auto path = locate(set, folder)) json["here"] = path->string();
  return json;
}

void verify(const std::vector<const Dataset*>& sets, const std::filesystem::path& folder) {
  const auto missing = std::ranges::count_if(
      sets, [&](const Dataset* set) { return !locate(*set, folder).has_value(); });
  std::vector<std::string> failed;
  for (const Dataset* set : sets) {
    try {
      const bool hashed = data::verify_dataset(*set, folder);
      fmt::print("{}: {} bytes{}\n", set->name, set->bytes,
                 hashed ? ", checksum matches" : "; no checksum is known for it");
    } catch (const Error& error) {
      if (sets.size() == 1) throw;
      print_error("fpsynth: {}\n", printable(error.what(), "\n\t"));
      failed.push_back(set->name);
    }
    std::fflush(stdout);
  }
  if (failed.empty()) return;
  raise("{} of {} data sets are {}: {}", failed.size(), sets.size(),
        missing == 0                    ? "wrong"
        : missing == std::ssize(failed) ? "missing"
                                        : "missing or wrong",
        fmt::join(failed, ", "));
}

void list(const DataArguments& arguments) {
  data::Registry registry = data::Registry::built_in();
  for (const std::string& file : arguments.registries) registry.add(file);
  const std::filesystem::path folder = data::data_folder(arguments.folder);
  std::vector<const Dataset*> sets;
  for (const std::string& name : arguments.names) {
    for (const Dataset* set : registry.named(name)) sets.push_back(set);
  }
  if (arguments.names.empty()) {
    for (const Dataset& set : registry.sets()) sets.push_back(&set);
  }
  if (arguments.verify) return verify(sets, folder);
  if (arguments.json) {
    auto json = nlohmann::ordered_json::array();
    for (const Dataset* set : sets) json.push_back(to_json(*set, folder));
    fmt::print("{}\n", json_text(json, 1));
    return;
  }
  results::Table table{.title = "Described data sets",
                       .columns = results::columns(
                           "name", "family", "precision", "bytes", "shape", "dimensionality",
                           results::Column("dimensionality_from", "from"), "here", "description")};
  for (const Dataset* set : sets) {
    std::optional<std::string> shape;
    if (!set->shape.empty()) shape = joined(set->shape, "x");
    const auto from = source_of(set->dimensionality);
    table.add(set->name, set->family, synth::precision_text(set->native), set->bytes, shape,
              from ? std::optional(set->dimensionality.value) : std::nullopt, from,
              locate(*set, folder) ? "yes" : "no", set->description);
  }
  table.notes.push_back(fmt::format("here: whether its file is in {}", folder.string()));
  fmt::print("{}", text_of({table}));
}

}  // namespace

void add_data_sets(Command data) {
  auto arguments = std::make_shared<DataArguments>();
  Command command = data.add_subcommand("list", "Show the data sets that are described here");
  command.add_option("NAME", arguments->names, "Data sets or families");
  command.add_option("--dir", arguments->folder,
                     "Folder of the data; $FPSYNTH_DATA or data if left out");
  command.add_option("--registry", arguments->registries, "Further files that describe data sets");
  command
      .add_flag("--verify", arguments->verify,
                "Check their sizes and, where known, checksums instead")
      .excludes(
          command.add_flag("--json", arguments->json, "Print JSON, with addresses and checksums"));
  command.footer(
      "Examples:\n"
      "  fpsynth data list\n"
      "  fpsynth data list fpc --json\n"
      "  fpsynth data list fpc --verify --dir /scratch/data");
  command.callback([arguments] { list(*arguments); });
}

}  // namespace fpsynth::cli
