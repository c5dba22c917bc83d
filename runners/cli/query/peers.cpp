// `fpsynth query peers`: what searches found, beside other compressors.

#include "results/queries/peers.hpp"

#include <memory>

#include "runners/cli/query/query.hpp"
#include "runners/cli/query/table_output.hpp"

namespace fpsynth::cli {
namespace {

struct PeersArguments {
  std::vector<std::string> others, ours[std::size(results::kSearchedIn)];
  TableOutput output;
};

void query_peers(const PeersArguments& arguments) {
  std::vector<results::ComparedFile> files;
  for (std::size_t i = 0; i < std::size(results::kSearchedIn); ++i) {
    for (const auto& file : arguments.ours[i]) files.push_back({file, results::kSearchedIn[i]});
  }
  for (const auto& file : arguments.others) files.push_back({file});
  put_tables(results::peers(files), arguments.output, "query peers");
}

}  // namespace

void add_peers(Command query) {
  Command command = query.add_subcommand(
      "peers", "Means and counts of what searches found, beside other compressors");
  auto arguments = std::make_shared<PeersArguments>();
  command
      .add_option("FILE", arguments->others,
                  "Documents of `fpsynth compare`, for all but the best searched")
      .required();
  constexpr const char* kWhat[] = {"pipelines alone", "methods with preludes",
                                   "methods with preludes in the wide space",
                                   "methods with longer chunks, in a race"};
  for (std::size_t i = 0; i < std::size(kWhat); ++i) {
    command
        .add_option(
            "--" + std::string(results::kSearchedIn[i]), arguments->ours[i],
            std::string("A document of `fpsynth compare`, whose best searched are ") + kWhat[i])
        .one_value_a_time()
        .value_name("FILE");
  }
  add_table_output(command, arguments->output);
  command.callback([arguments] { query_peers(*arguments); });
  command.footer(
      "Examples:\n"
      "  fpsynth compare --study mini --runs results/runs/mini --out compare.json\n"
      "  fpsynth compare --study mini --runs results/runs/preludes --only searched --threads 1 "
      "--out preludes.json\n"
      "  fpsynth query peers compare.json --pipelines compare.json --preludes preludes.json");
}

}  // namespace fpsynth::cli
