// fpsynth generate: a stand-alone project from a method.

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runners/cli/chosen_method.hpp"
#include "runners/cli/commands.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/generator/project.hpp"

namespace fpsynth::cli {
namespace {

using synth::Precision;

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  raise("cannot write {}: {}", path.string(),
        reason_and_advice(error.value(), "check the path and its permissions"));
}

fs::path parent_of(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a trailing slash
  return path.parent_path();
}

/// Makes a private folder within another one, which is made where there is none.
fs::path make_staging_folder(const fs::path& within) {
  std::error_code error;
  fs::create_directories(within, error);
  if (error) fail(within, error);
  fs::path folder = make_unique_folder(within, ".fpsynth-");
  if (folder.empty()) fail(within, {errno, std::generic_category()});
  return folder;
}

/// Throws if the folder cannot become the project's.
void check_folder(const fs::path& folder, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    raise("{} exists and is no folder; name another", folder.string());
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) fail(folder, error);
  if (!empty && !force) {
    raise(
        "{} exists and is not empty; give --force to replace the generated project in it, or "
        "another folder",
        folder.string());
  }
}

/// The files that a generated project in the folder may have; none without such a project.
std::vector<std::string> files_of_project_in(const fs::path& folder) {
  const auto name = synth::name_of_project(content_of(folder / synth::kProjectMark));
  return name ? synth::project_files(*name) : std::vector<std::string>();
}

/// Writes a project's files, all of them or none. A folder that is not empty is written to
/// only if `force`. The files then replace those of a generated project, whatever its name and
/// target. Other files are kept; one that has a new file's name is an error. Returns the files that
/// were removed because the new project lacks them. Throws Error naming the path and the reason.
std::vector<fs::path> write_project(const std::vector<synth::ProjectFile>& files,
                                    const fs::path& folder, bool force) {
  check_folder(folder, force);
  const std::vector<std::string> old = files_of_project_in(folder);
  for (const synth::ProjectFile& file : files) {
    if (fs::exists(fs::symlink_status(folder / file.name)) && !std::ranges::count(old, file.name)) {
      raise(
          "{} is no file of a generated project, and --force replaces nothing else; name another "
          "folder",
          (folder / file.name).string());
    }
  }
  const SignalsHeld until_it_is_gone;
  // On the file system that the files will be on: the folder may be a link, or one is mounted
  // there.
  const bool there = fs::exists(folder);
  const TemporaryFolder staging(make_staging_folder(there ? folder : parent_of(folder)));
  // Not the private folder itself becomes the project's, but one with the mode of any new folder.
  const fs::path project = staging.path() / "project";
  std::error_code error;
  fs::create_directory(project, error);
  if (error) fail(project, error);
  for (const synth::ProjectFile& file : files) {
    std::ofstream out(project / file.name, std::ios::binary);
    out << file.text;
    out.close();
    if (!out) fail(project / file.name, {errno, std::generic_category()});
  }
  if (!there) {
    fs::rename(project, folder, error);
    if (error) fail(folder, error);
    return {};
  }
  for (const synth::ProjectFile& file : files) {
    fs::rename(project / file.name, folder / file.name, error);
    if (error) fail(folder / file.name, error);
  }
  std::vector<fs::path> removed;
  for (const std::string& name : old) {
    if (std::ranges::count(files, name, &synth::ProjectFile::name)) continue;
    if (fs::remove(folder / name, error)) removed.push_back(folder / name);
    if (error) fail(folder / name, error);
  }
  return removed;
}

struct GenerateArguments {
  std::string pipeline, name, out, target = "cpp";
  std::optional<std::string> precision, chunk_words;
  BestOption best;
  std::optional<unsigned> filter, top;
  bool force = false;
};

synth::ProjectRequest request_of(const GenerateArguments& arguments) {
  synth::check_codec_name(arguments.name);
  if (!arguments.top) {
    arguments.best.check(arguments.pipeline, "generate");
  } else if (!arguments.pipeline.empty()) {
    throw UsageError("give a PIPELINE or --top, not both");
  }
  if (arguments.filter && arguments.target != synth::to_string(synth::Target::Hdf5)) {
    throw UsageError("--filter-id is the number of an HDF5 filter; give --target hdf5 with it");
  }
  if (arguments.out.empty()) throw UsageError("--out is empty; name a folder for the project");
  synth::ProjectRequest request;
  std::optional<Precision> precision;
  if (arguments.precision) precision = synth::precision_called(*arguments.precision);
  if (arguments.best.best || arguments.top) {
    const std::vector<BestPipeline> all =
        best_pipelines(arguments.best, precision, arguments.top.value_or(1));
    const BestPipeline& best = all.front();
    request.method = best.method;
    for (const BestPipeline& other : std::span(all).subspan(1)) {
      request.others.push_back(other.method);
    }
    request.word_bytes = synth::word_bytes(best.precision);
    request.origin = best.origin;
    if (arguments.top) request.origin = "Of method 1: " + request.origin;
    request.chunk_words = best.chunk_words;
  } else {
    request.method = typed_method(arguments.pipeline);
    request.word_bytes = synth::word_bytes(precision.value_or(Precision::Double));
    request.origin = fmt::format("The {} was named by hand, not taken from a study.",
                                 request.method.prelude.empty() ? "pipeline" : "method");
  }
  request.name = arguments.name;
  if (arguments.chunk_words) request.chunk_words = std::stoul(*arguments.chunk_words);
  if (arguments.filter) request.hdf5_filter = *arguments.filter;
  for (const synth::Target target : synth::all_targets()) {
    if (arguments.target == synth::to_string(target)) request.target = target;
  }
  return request;
}

void generate(const GenerateArguments& arguments) {
  const synth::ProjectRequest request = request_of(arguments);
  const auto files = synth::generate_project(request);
  for (const auto& old : write_project(files, arguments.out, arguments.force)) {
    fmt::print("{}: removed; it belonged to the previous project\n", old.string());
  }
  const std::size_t others = request.others.size();
  fmt::print("{}: {} files for \"{}\"{} on {}-byte words; README.md there says how to build it\n",
             arguments.out, files.size(), synth::to_string(request.method),
             others ? fmt::format(" and the next {}", others) : "", request.word_bytes);
}

}  // namespace

void add_generate(Command app) {
  Command command = app.add_subcommand("generate", "Turn a pipeline into a stand-alone codec");
  auto arguments = std::make_shared<GenerateArguments>();
  command.add_option(
      "PIPELINE", arguments->pipeline,
      "1 to 8 component names, the last a reducer such as ZE or RLE, with | where words become "
      "bytes, behind a prelude of up to 5 steps and a / if there is one");
  add_chunk_words(command, arguments->chunk_words);
  command
      .add_option("--name", arguments->name,
                  "What the codec is called: its files, functions and namespace")
      .required();
  command.add_option("--out", arguments->out, "Folder for the project").required();
  command
      .add_option("--precision,--word", arguments->precision,
                  "What it compresses: double, single, half or byte. Without it, double, or with "
                  "--best what was searched")
      .one_of({"double", "single", "half", "byte"});
  std::vector<std::string> targets;
  for (const auto target : synth::all_targets()) targets.emplace_back(synth::to_string(target));
  command
      .add_option("--target", arguments->target,
                  "cpp: C++ header, C library, program; cuda: the same for data in a GPU's memory; "
                  "hdf5: cpp with an HDF5 filter, for chunks of HDF5")
      .one_of(targets)
      .show_default();
  add_best(command, arguments->best);
  command
      .add_option("--top", arguments->top,
                  "The N best of --best, or over all data sets, in one project: it takes the "
                  "smallest output, or a method by its number")
      .range(1u, unsigned(synth::kMostOthers + 1));
  command
      .add_option("--filter-id", arguments->filter,
                  "Number of the HDF5 filter; 256 to 511 are for testing")
      .show_default("256");
  command.add_flag("--force", arguments->force,
                   "Replace the generated project in DIR, edited files too; others are kept");
  command.footer(
      "Examples:\n"
      "  fpsynth generate \"LNV6s BIT LNV1s ZE\" --name mpc6 --out mpc6\n"
      "  fpsynth generate \"LNV2s | DIM8 RLE\" --precision single --name plasma --out plasma\n"
      "  fpsynth generate \"LAGx:18200 / LNV1s ZE | RLE\" --name plasma --out plasma\n"
      "  fpsynth generate \"LNV6s BIT LNV1s ZE\" --target cuda --name mpc6 --out mpc6_cuda\n"
      "  fpsynth generate --best num_plasma --runs results/runs/all --precision double \\\n"
      "      --target hdf5 --filter-id 300 --name plasma --out plasma\n"
      "  fpsynth generate --top 4 --runs results/runs/all --precision double --name four --out "
      "four\n"
      "\n"
      "The project does not need fpsynth: a C++20 compiler, CMake and xxhash.h build it; for\n"
      "cuda, the CUDA Toolkit and CMake. It writes and reads the same files as fpsynth compress\n"
      "and decompress. Its prelude is part of it; that of cuda has the steps LAG, ORD and DIM\n"
      "alone. An HDF5 filter sees one chunk of HDF5 at a time, so that a lag, too, is within it.");
  command.callback([arguments] { generate(*arguments); });
}

}  // namespace fpsynth::cli
