// fpsynth repack: an HDF5 or netCDF-4 file written anew with the filter, and what that won.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/cli/chosen_method.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/hdf5_chunks.hpp"
#include "runners/modules/module.hpp"
#include "runners/repack/repack.hpp"
#include "runners/study/terminal.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

struct RepackArguments {
  std::string input, output, method = kAuto;
  std::optional<std::string> chunk_words;
  std::vector<std::string> only, chunks;
  int threads = 0;
  bool dry_run = false, force = false;
  AutoOptions automatic;
  TableOutput table;
};

/// A shape, and the data set of "NAME=64x64"; no name before "64x64".
std::pair<std::string, data::Extents> chunk_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == 0) throw UsageError(fmt::format("--chunk '{}': give NAME=64x64", text));
  if (equals == text.npos) return {"", data::parse_extents("--chunk", text)};
  return {text.substr(0, equals), data::parse_extents("--chunk", text.substr(equals + 1))};
}

repack::Options options_of(const RepackArguments& arguments) {
  repack::Options options;
  if (arguments.method != kAuto) options.method = typed_method(arguments.method);
  if (arguments.chunk_words) options.chunk_words = std::stoul(*arguments.chunk_words);
  options.only = arguments.only;
  for (const std::string& text : arguments.chunks) options.chunks.push_back(chunk_of(text));
  options.choice.threads = arguments.threads;
  arguments.automatic.set(options.choice, arguments.chunk_words);
  return options;
}

/// The whole of what an amount of a sample stands for.
std::uint64_t of_all(const repack::Planned& one, std::uint64_t sampled) {
  return std::uint64_t(double(one.dataset.bytes()) * double(sampled) / double(one.sampled.bytes));
}

results::Table table_of(const std::vector<repack::Planned>& plan,
                        const RepackArguments& arguments) {
  results::Table table{.title = fmt::format("{} with the HDF5 filter", arguments.input),
                       .columns = {{"variable"},
                                   {"type"},
                                   {"chunk"},
                                   {"bytes"},
                                   {"bytes_before", "as it was"},
                                   {"bytes_gzip", "shuffle+gzip"},
                                   {"bytes_after", "fpsynth"},
                                   {"ratio_gzip", "ratio gzip"},
                                   {"ratio", "ratio fpsynth"},
                                   {"method"},
                                   {"left", "left as it is"}}};
  std::uint64_t bytes = 0, before = 0, gzip = 0, after = 0, small = 0;
  for (const repack::Planned& one : plan) {
    const data::StoredDataset& dataset = one.dataset;
    if (!one.left.empty() && dataset.stored_bytes < repack::kSmallBytes &&
        dataset.bytes() < repack::kSmallBytes) {
      ++small;
      continue;
    }
    if (!one.left.empty()) {
      std::optional<std::uint64_t> size;
      if (dataset.word_bytes) size = dataset.bytes();
      const results::Cell none;
      table.add(dataset.name(), dataset.type, none, size, dataset.stored_bytes, none, none, none,
                none, none, one.left);
      continue;
    }
    const std::uint64_t packed = arguments.dry_run ? of_all(one, one.sampled.packed) : one.bytes;
    const std::uint64_t zipped = arguments.dry_run ? of_all(one, one.sampled.gzip) : one.gzip;
    const double size = double(dataset.bytes());
    table.add(dataset.name(), dataset.type, fmt::format("{}", fmt::join(one.chunk, "x")),
              dataset.bytes(), dataset.stored_bytes, zipped, packed, size / double(zipped),
              size / double(packed), synth::to_string(one.sampled.method));
    bytes += dataset.bytes();
    before += dataset.stored_bytes;
    gzip += zipped;
    after += packed;
  }
  if (bytes > 0) {
    table.add("written anew", "", "", bytes, before, gzip, after, double(bytes) / double(gzip),
              double(bytes) / double(after));
  }
  if (small > 0) {
    table.notes.push_back(fmt::format("{} of less than {} bytes left as they are",
                                      counted(small, "variable"), repack::kSmallBytes));
  }
  table.notes.push_back(
      fmt::format("shuffle+gzip: the same chunks with libhdf5's filters shuffle and deflate, level "
                  "{}",
                  repack::kGzipLevel));
  if (arguments.dry_run) {
    table.notes.push_back("estimated from a sample of the chunks; nothing was written");
  }
  return table;
}

void add_sizes(results::Table& table, const std::filesystem::path& before,
               const std::filesystem::path& after) {
  const std::uint64_t old_size = std::filesystem::file_size(before);
  const std::uint64_t new_size = std::filesystem::file_size(after);
  table.notes.push_back(fmt::format(
      "the file: {} -> {}, {:.3f} times as many before; every value was read back and compared, "
      "and all else that the file holds",
      old_size, counted(new_size, "byte"), double(old_size) / double(new_size)));
}

/// The file that is written; throws Error if it cannot be, before any work.
std::filesystem::path target_of(const RepackArguments& arguments) {
  if (arguments.output.empty()) {
    throw UsageError("OUT is required, unless with --dry-run\nfpsynth repack --help explains it");
  }
  refuse_to_replace_data(arguments.input, arguments.output);
  const auto target = codec::file_to_write(arguments.output, arguments.force);
  if (!target) throw Error(arguments.output + " is no regular file; name one");
  return *target;
}

void run(const RepackArguments& arguments) {
  repack::Options options = options_of(arguments);
  std::optional<AtomicFile> out;
  if (!arguments.dry_run) out.emplace(target_of(arguments), arguments.force);
  modules::checked_hdf5_plugins();
  // The new file is locked until it is complete; libhdf5 would not read it.
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  study::ProgressLine line;
  options.progress = [&](const std::string& what, double share) {
    line.show(share < 0 ? printable(what)
                        : fmt::format("{}  {:5.1f} %", printable(what), 100 * share));
  };
  const codec::Input input = codec::Input::open(arguments.input);
  results::Table table = while_unchanged(input, [&] {
    std::vector<repack::Planned> plan = repack::plan(arguments.input, options);
    if (!out) return table_of(plan, arguments);
    repack::write(arguments.input, out->temporary(), plan, options);
    repack::verify(arguments.input, out->temporary(), plan, options);
    results::Table result = table_of(plan, arguments);
    add_sizes(result, arguments.input, out->temporary());
    return result;
  });
  if (out) out->commit();
  line.show("");
  put_tables({table}, arguments.table, "repack");
}

}  // namespace

void add_repack(Command app) {
  Command command =
      app.add_subcommand("repack", "Write an HDF5 or netCDF-4 file anew with the HDF5 filter");
  auto arguments = std::make_shared<RepackArguments>();
  command.add_option("IN", arguments->input, "HDF5 or netCDF-4 file").required();
  command.add_option("OUT", arguments->output, "File to write; not with --dry-run");
  command
      .add_option("--method", arguments->method,
                  "Method for all variables, as compress takes it; auto: the best for each, which "
                  "is searched for")
      .show_default();
  command
      .add_option("--only", arguments->only,
                  "Write these variables anew, and leave the others as they are")
      .value_name("NAME")
      .one_value_a_time();
  command
      .add_option("--chunk", arguments->chunks,
                  "Chunks of this shape for variables of as many dimensions, slowest first, or for "
                  "one of them: NAME=64x64")
      .value_name("SHAPE")
      .one_value_a_time();
  command.add_flag("--dry-run", arguments->dry_run,
                   "Only say what would be done, with sizes that a sample lets expect");
  add_auto(command, arguments->automatic);
  add_chunk_words(command, arguments->chunk_words);
  command.add_threads(arguments->threads,
                      "Threads that search; h5repack writes with one. As many as OpenMP has if "
                      "left out");
  command.add_flag("--force", arguments->force, "Replace OUT if it exists");
  add_table_output(command, arguments->table);
  command.footer(
      "Examples:\n"
      "  fpsynth repack ocean.nc smaller.nc\n"
      "  fpsynth repack ocean.nc --dry-run\n"
      "  fpsynth repack run.h5 out.h5 --only /step7/velocity --chunk /step7/velocity=1x64x256\n"
      "  fpsynth repack run.h5 out.h5 --method \"LNV2s BIT | RLE\" --json\n"
      "\n"
      "Variables of 4 and 8 byte floats and integers are written anew, unless they are small or\n"
      "would not become smaller. The others, groups, links, attributes, dimensions and fill "
      "values\n"
      "stay. Chunks stay if they have 16 KiB to 64 MiB; otherwise they get at most 1 MiB. "
      "h5repack\n"
      "(hdf5-tools) writes; then both files are read and compared. OUT appears when all is the "
      "same.\n"
      "Who reads OUT needs the plugin: export HDF5_PLUGIN_PATH=$(fpsynth hdf5 path).");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
