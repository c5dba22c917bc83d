// fpsynth data export: the words of data sets as files, for programs that read nothing else.

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "results/documents/data_set.hpp"
#include "results/queries/table.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/data/input.hpp"
#include "runners/data/registry/datasets.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::cli {
namespace {

using synth::Precision;

struct ExportArguments : StudyArguments {
  std::string folder;
  bool force = false;
  TableOutput output;
};

/// Writes the words of a data set in one precision, and returns their row.
std::vector<results::Cell> write_words(const data::Input& input, Precision precision,
                                       const std::filesystem::path& path, bool force) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !force) {
    raise("{} exists; replace it with --force or name another folder with --to", path.string());
  }
  const data::Input words = input.in(precision);
  AtomicFile file(path);
  file.write(words.bytes());
  words.check_unchanged();
  file.commit();
  return results::cells(input.name(), synth::precision_text(words.type()), words.bytes().size(),
                        data::checksum_of(words), path.string());
}

void export_words(const ExportArguments& arguments) {
  const data::Study study = study_of(arguments, "export");
  refuse_to_replace_data(study, arguments.output.out);
  const std::filesystem::path folder =
      create_folder(arguments.folder, "name another one with --to");
  results::Table table{
      .title = "Words of data sets",
      .columns = {{"data_set"}, {"precision"}, {"bytes"}, {"xxh3", "XXH3-64"}, {"file"}}};
  for (const data::StudyItem& item : study.items) {
    const data::Input input = item.open();
    if (const auto note = study::unlike_published(item, input)) table.notes.push_back(*note);
    for (const Precision precision : study::precisions_of(study.precisions, input)) {
      results::check_name("data set", item.name);
      const std::filesystem::path path =
          folder /
          fmt::format("{}.{}", item.name, synth::named({precision, input.type().kind}).code);
      refuse_to_replace_data(study, path);
      table.add(write_words(input, precision, path, arguments.force));
    }
  }
  put_tables({table}, arguments.output, "data export");
}

}  // namespace

void add_data_export(Command data) {
  Command command = data.add_subcommand(
      "export", "Write the words of data sets, as searches take them, to files");
  auto arguments = std::make_shared<ExportArguments>();
  add_study_options(command, *arguments);
  command
      .add_option("--to", arguments->folder,
                  "Folder for the files SET.f64, SET.f32, SET.i64 and so on")
      .required();
  command.add_flag("--force", arguments->force, "Replace existing files");
  add_table_output(command, arguments->output, true);
  command.footer(
      "Examples:\n"
      "  fpsynth data export num_plasma.trace.fpc --precision both --to words\n"
      "  fpsynth data export --study corpus --to words --json\n"
      "\n"
      "The files are raw little-endian words: the very bytes that `search` and `compare` take of\n"
      "these data sets, with singles of doubles where single precision is asked for. The table\n"
      "has their XXH3-64, as in the documents of these commands.");
  command.callback([arguments] { export_words(*arguments); });
}

}  // namespace fpsynth::cli
