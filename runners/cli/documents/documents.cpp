// `fpsynth documents`: the documents from which a report is drawn.

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "results/documents/document_file.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/documents/report.hpp"
#include "runners/cli/studies.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cli {
namespace {

struct DocumentsArguments : OtherRuns {
  std::string study, runs;
  std::uint64_t sample = 0;
  bool dry_run = false;
};

void run(const DocumentsArguments& arguments) {
  if (cluster_ranks()) throw UsageError("fpsynth-mpi only searches; call fpsynth documents");
  const bool alone = arguments.study.empty();
  if (alone && arguments.sample > 0) {
    throw UsageError("--sample searches a study; name one with --study");
  }
  std::vector<std::string> others = arguments.deeper;
  others.insert(others.end(), {arguments.preludes, arguments.wide});
  for (const std::string& directory : others) {
    if (directory.empty() || !results::document_files(directory).empty()) continue;
    throw Error(
        fmt::format("{} has no results of a search; leave it out, or search first", directory));
  }
  const std::filesystem::path config = config_file(arguments.study, "studies");
  Report report(alone ? arguments.runs : data::read_study(config).name, arguments.runs,
                arguments.dry_run);
  alone ? report.of_results() : report.of_study(config, arguments.sample);
  report.beyond(arguments);
}

}  // namespace

void add_documents(Command app) {
  const auto arguments = std::make_shared<DocumentsArguments>();
  Command command = app.add_subcommand(
      "documents", "Make the documents of a report: queries of results, and measurements");
  command.add_option("--study", arguments->study,
                     "Study file, or the name of one that comes with fpsynth; without one, the "
                     "report is on the results alone, without the papers");
  command
      .add_option("--runs", arguments->runs,
                  "Directory of the study's results; the documents are made in DIR/documents")
      .required()
      .value_name("DIR");
  command
      .add_option("--preludes-runs", arguments->preludes,
                  "Directory of a search of the same data sets with preludes")
      .value_name("DIR");
  command.add_option("--wide-runs", arguments->wide, "The same in the wide space")
      .value_name("DIR");
  command
      .add_option(
          "--deeper-runs", arguments->deeper,
          "Directories of searches of the same data sets with more stages, of all pipelines "
          "or raced, separated by commas")
      .separated_by(',')
      .value_name("DIR[,DIR]");
  command
      .add_option("--sample", arguments->sample,
                  "First search the data sets without results, one chunk in N")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40);
  command.add_flag("--dry-run", arguments->dry_run, "Only list what would be made, and why");
  command.footer(
      "Runs the commands that are listed, each with --out, unless its document is there, of this "
      "program\nand command, and no older than what it is made of. Data sets that are not there "
      "are left out.\n"
      "Examples:\n"
      "  fpsynth documents --runs results/runs\n"
      "  fpsynth documents --study mini --runs results/runs/mini --sample 1\n"
      "  fpsynth documents --study fpc --runs results/runs/fpc --dry-run\n"
      "  python3 -m analysis --study configs/studies/fpc.json --runs results/runs/fpc --out "
      "figures");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
