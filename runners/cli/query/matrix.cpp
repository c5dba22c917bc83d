// `fpsynth query matrix`: the sizes of all pipelines on all data sets, for other programs.

#include "runners/cli/query/query.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>

#include "runners/cli/query/table_output.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

void run(QueryChoice& choice, const std::string& out) {
  auto& write = modules::entry<decltype(fpsynth_write_matrix)>("matrix", "fpsynth_write_matrix");
  check_length_of_name(out);
  const results::Runs runs = load(choice);
  const std::uint64_t pipelines = write(out, runs, command_line());
  // A data set in two precisions is two results.
  fmt::print("{}: {} on {}\n", out, counted(pipelines, "pipeline"),
             counted(runs.searched().size(), "result"));
  for (const std::string& note : runs.notes()) fmt::print("note: {}\n", printable(note));
}

}  // namespace

void add_matrix(Command query) {
  struct Arguments {
    QueryChoice choice;
    std::string out;
  };
  auto arguments = std::make_shared<Arguments>();
  Command command = query.add_subcommand(
      "matrix", "The sizes of all pipelines on all data sets, as one HDF5 file");
  add_query_choice(command, arguments->choice);
  command
      .add_option("--out", arguments->out,
                  "The HDF5 file; it replaces an earlier matrix of that name")
      .required();
  command.footer(
      "compressed_bytes[result][pipeline], with the names of pipelines, data sets and precisions "
      "and\n"
      "the original bytes beside it; 0 where a pipeline did not give the data back.\n"
      "Examples:\n"
      "  fpsynth query matrix --runs results/runs/mini --out sizes.h5\n"
      "  python3 -c 'import h5py; print(h5py.File(\"sizes.h5\")[\"compressed_bytes\"].shape)'");
  command.callback([arguments] { run(arguments->choice, arguments->out); });
}

}  // namespace fpsynth::cli
