// fpsynth generate: a stand-alone project from a pipeline.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/runs.hpp"
#include "runners/cli/commands.hpp"
#include "synth/generator/names.hpp"
#include "synth/generator/project.hpp"
#include "synth/precision.hpp"

namespace fpsynth::cli {
namespace {

namespace fs = std::filesystem;
using synth::Precision;

struct Arguments {
  std::string pipeline, name, out, target = "cpp", runs = "results/runs";
  std::optional<std::string> word, best, precision;
  unsigned filter = 256;
  bool force = false;
};

Precision parse_precision(std::string_view text) {
  return text == synth::to_string(Precision::Single) ? Precision::Single : Precision::Double;
}

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  throw Error(fmt::format("cannot write {}: {}; check the path and its permissions", path.string(),
                          error.message()));
}

/// A folder beside another one, gone at the end of the scope with all that is still in it.
class StagingFolder {
 public:
  explicit StagingFolder(const fs::path& beside) {
    fs::path parent = fs::absolute(beside).lexically_normal();
    if (!parent.has_filename()) parent = parent.parent_path();  // a trailing slash
    parent = parent.parent_path();
    std::error_code error;
    fs::create_directories(parent, error);
    if (error) fail(parent, error);
    std::string name = (parent / ".fpsynth-XXXXXX").string();
    if (!::mkdtemp(name.data())) fail(parent, {errno, std::generic_category()});
    path_ = name;
    fs::permissions(path_, fs::perms(0755), error);
  }
  ~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void refuse_overwriting(const fs::path& folder, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw Error(fmt::format("{} exists and is no folder; name another", folder.string()));
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) fail(folder, error);
  if (!empty && !force) {
    throw Error(
        fmt::format("{} exists and is not empty; give --force to replace the project's "
                    "files in it, or another folder",
                    folder.string()));
  }
}

/// All files get their names when all of them are written. A folder that exists keeps what else is
/// in it.
void write_project(const std::vector<synth::ProjectFile>& files, const fs::path& folder,
                   bool force) {
  refuse_overwriting(folder, force);
  const StagingFolder staging(folder);
  for (const synth::ProjectFile& file : files) {
    std::ofstream out(staging.path() / file.name, std::ios::binary);
    out << file.text;
    out.close();
    if (!out) fail(staging.path() / file.name, {errno, std::generic_category()});
  }
  std::error_code error;
  if (!fs::exists(folder)) {
    fs::rename(staging.path(), folder, error);
    if (error) fail(folder, error);
    return;
  }
  for (const synth::ProjectFile& file : files) {
    fs::rename(staging.path() / file.name, folder / file.name, error);
    if (error) fail(folder / file.name, error);
  }
}

/// The first of a study's ranking for one data set.
synth::ProjectRequest winner(const Arguments& arguments) {
  std::optional<Precision> precision;
  if (arguments.precision) precision = parse_precision(*arguments.precision);
  const auto runs = results::load_runs(arguments.runs).select(*arguments.best, precision);
  if (runs.documents().size() > 1) {
    throw UsageError(fmt::format("{} was searched in both precisions; name one with --precision",
                                 *arguments.best));
  }
  const results::Document& document = runs.documents().front();
  if (document.ranking.empty()) {
    throw Error(fmt::format("{}: nothing was searched yet; go on with fpsynth search --resume",
                            results::label(document)));
  }
  const std::uint64_t id = document.ranking.front();
  synth::ProjectRequest request;
  request.pipeline = document.space.at(id);
  request.word_bytes = synth::word_bytes(document.data.precision);
  request.origin = fmt::format(
      "It is the best of {} pipelines on the data set {}: {} bytes in {} become {}, a ratio of "
      "{:.3f}{} (fpsynth {}, {}).",
      document.ranking.size(), document.data.name, document.sampled_bytes,
      synth::to_string(document.data.precision), document.compressed_bytes(id), document.ratio(id),
      document.sampled() ? ", estimated from a sample" : "", document.run.program_version,
      document.run.commit);
  return request;
}

synth::ProjectRequest request_of(const Arguments& arguments) {
  synth::check_codec_name(arguments.name);
  if (arguments.best && !arguments.pipeline.empty()) {
    throw UsageError("a PIPELINE and --best: give one of them");
  }
  if (!arguments.best && arguments.pipeline.empty()) {
    throw UsageError("nothing to generate: give a PIPELINE, or --best DATASET for a study's best");
  }
  if (arguments.best && arguments.word) {
    throw UsageError("--word goes with a PIPELINE; --best takes the study's, --precision picks it");
  }
  synth::ProjectRequest request;
  if (arguments.best) {
    request = winner(arguments);
  } else {
    request.pipeline = synth::parse_pipeline(arguments.pipeline);
    request.word_bytes = synth::word_bytes(parse_precision(arguments.word.value_or("double")));
    request.origin = "The pipeline was named by hand, not taken from a study.";
  }
  request.name = arguments.name;
  request.hdf5_filter = arguments.filter;
  for (const synth::Target target : synth::all_targets()) {
    if (arguments.target == synth::to_string(target)) request.target = target;
  }
  return request;
}

void generate(const Arguments& arguments) {
  const synth::ProjectRequest request = request_of(arguments);
  const auto files = synth::generate_project(request);
  write_project(files, arguments.out, arguments.force);
  fmt::print("{}: {} files for \"{}\" on {}-byte words; README.md there says how to build it\n",
             arguments.out, files.size(), synth::to_string(request.pipeline), request.word_bytes);
}

}  // namespace

void add_generate(CLI::App& app) {
  auto* command = app.add_subcommand("generate", "Turn a pipeline into a stand-alone codec");
  auto arguments = std::make_shared<Arguments>();
  command->add_option(
      "PIPELINE", arguments->pipeline,
      "1 to 8 component names, the last ZE or RLE, with | where words become bytes");
  command
      ->add_option("--name", arguments->name,
                   "What the codec is called: its files, functions and namespace")
      ->required();
  command->add_option("--out", arguments->out, "Folder for the project")->required();
  command->add_option("--word", arguments->word, "What it compresses: double (default) or single")
      ->check(CLI::IsMember({"double", "single"}));
  std::vector<std::string> targets;
  for (const auto target : synth::all_targets()) targets.emplace_back(synth::to_string(target));
  command
      ->add_option(
          "--target", arguments->target,
          "cpp: C++ header, C library, program; cuda: the same for data in a GPU's memory; "
          "hdf5: cpp with an HDF5 filter")
      ->check(CLI::IsMember(targets))
      ->capture_default_str();
  command->add_option("--best", arguments->best, "Take the best pipeline of this data set ...");
  command->add_option("--runs", arguments->runs, "... in this study's results")
      ->capture_default_str();
  command
      ->add_option("--precision", arguments->precision,
                   "... in this precision, where it was searched in both")
      ->check(CLI::IsMember({"double", "single"}));
  command
      ->add_option("--filter-id", arguments->filter,
                   "Number of the HDF5 filter; 256 to 511 are for testing")
      ->capture_default_str();
  command->add_flag("--force", arguments->force, "Replace the project's files if DIR has some");
  command->footer(
      "Examples:\n"
      "  fpsynth generate \"LNV6s BIT LNV1s ZE\" --name mpc6 --out mpc6\n"
      "  fpsynth generate \"LNV2s LNV2s | DIM8 RLE\" --word single --name plasma --out plasma\n"
      "  fpsynth generate \"LNV6s BIT LNV1s ZE\" --target cuda --name mpc6 --out mpc6_cuda\n"
      "  fpsynth generate --best num_plasma --runs results/runs/all --precision double \\\n"
      "      --target hdf5 --filter-id 300 --name plasma --out plasma\n"
      "\n"
      "The project needs nothing of fpsynth: a C++20 compiler, CMake and xxhash.h build it; for\n"
      "cuda, the CUDA Toolkit and CMake. It writes and reads the same files as fpsynth compress\n"
      "and decompress.");
  command->callback([arguments] { generate(*arguments); });
}

}  // namespace fpsynth::cli
