// fpsynth repack: an HDF5 or netCDF-4 file written anew with the filter, and what that won.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
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
#include "runners/repack/copier.hpp"
#include "runners/study/terminal.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

struct RepackArguments {
  std::string input, output, method = kAuto;
  std::optional<std::string> chunk_words;
  std::vector<std::string> chunks;
  bool dry_run = false, force = false, in_place = false;
  AutoOptions automatic;
  repack::Options options;
  TableOutput table;
};

/// A shape, and the data set of "NAME=64x64"; no name before "64x64".
std::pair<std::string, data::Extents> chunk_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == 0) raise<UsageError>("--chunk '{}': give NAME=64x64", text);
  if (equals == text.npos) return {"", data::parse_extents("--chunk", text)};
  return {text.substr(0, equals), data::parse_extents("--chunk", text.substr(equals + 1))};
}

repack::Options options_of(const RepackArguments& arguments) {
  repack::Options options = arguments.options;
  if (arguments.method != kAuto) options.method = typed_method(arguments.method);
  if (arguments.chunk_words) options.chunk_words = std::stoul(*arguments.chunk_words);
  for (const std::string& text : arguments.chunks) options.chunks.push_back(chunk_of(text));
  arguments.automatic.set(options.choice, arguments.chunk_words);
  return options;
}

/// Seconds that a data set takes: its choice, and packing and unpacking, each with one thread.
double seconds_of(const repack::Planned& one) {
  return one.sampled.choosing + (one.left.empty() ? 2 * one.whole(one.sampled.packing) : 0);
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 1'000'000 ? counted(bytes, "byte") : fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

/// "1.2 MB -> 0.8 MB, 33.3 % less".
std::string gain_text(std::uint64_t before, std::uint64_t after) {
  return fmt::format("{} -> {}, {:.1f} % {}", size_text(before), size_text(after),
                     results::percent(after < before ? before - after : after - before, before),
                     after > before ? "more" : "less");
}

results::Table table_of(const repack::Plan& plan, const RepackArguments& arguments) {
  results::Table table{
      .title = fmt::format("{} with the HDF5 filter", arguments.input),
      .columns = results::columns(
          "variable", "type", "chunk", "bytes", results::Column("bytes_before", "as it was"),
          results::Column("bytes_gzip", "shuffle+gzip"), results::Column("bytes_after", "fpsynth"),
          results::Column("ratio_gzip", "ratio gzip"), results::Column("ratio", "ratio fpsynth"),
          "method", results::Column("left", "left as it is"))};
  if (arguments.dry_run) table.columns.insert(table.columns.end() - 1, {"seconds", 1});
  std::uint64_t bytes = 0, before = 0, gzip = 0, after = 0, small = 0, count = 0, all = 0;
  double seconds = 0;
  const auto add = [&](const auto&... cells) {
    std::vector<results::Cell> row = results::cells(cells...);
    if (!arguments.dry_run) row.erase(row.end() - 2);
    table.rows.push_back(std::move(row));
  };
  const results::Cell none;
  for (const repack::Planned& one : plan.datasets) {
    const data::StoredDataset& dataset = one.dataset;
    all += dataset.stored_bytes;
    seconds += seconds_of(one);
    if (!one.left.empty()) {
      if (std::max(dataset.stored_bytes, dataset.bytes()) < repack::kSmallBytes) {
        ++small;
        continue;
      }
      std::optional<std::uint64_t> size;
      if (dataset.word_bytes) size = dataset.bytes();
      add(dataset.name(), dataset.type, none, size, dataset.stored_bytes, none, none, none, none,
          none, seconds_of(one), one.left);
      continue;
    }
    const std::uint64_t packed = arguments.dry_run ? one.expected() : one.bytes;
    const auto zipped = std::uint64_t(one.whole(double(one.sampled.gzip)));
    const double size = double(dataset.bytes());
    add(dataset.name(), dataset.type, joined(one.chunk, "x"), dataset.bytes(), dataset.stored_bytes,
        zipped, packed, size / double(zipped), size / double(packed),
        synth::to_string(one.sampled.method), seconds_of(one), none);
    ++count;
    bytes += dataset.bytes();
    before += dataset.stored_bytes;
    gzip += zipped;
    after += packed;
  }
  if (bytes > 0) {
    add("written anew", "", "", bytes, before, gzip, after, double(bytes) / double(gzip),
        double(bytes) / double(after), none, seconds, none);
  }
  if (small > 0) {
    table.notes.push_back(fmt::format("{} of less than {} bytes left as they are",
                                      counted(small, "variable"), repack::kSmallBytes));
  }
  table.notes.push_back(
      fmt::format("shuffle+gzip: a sample of the same chunks with libhdf5's filters shuffle and "
                  "deflate, level {}",
                  repack::kGzipLevel));
  const std::string of = counted(plan.datasets.size(), "variable");
  table.notes.push_back(
      count == 0 ? fmt::format("none of {} {} written anew: each is left, for the reason given", of,
                               arguments.dry_run ? "would be" : "was")
                 : fmt::format("{} of {} {} written anew: {}", count, of,
                               arguments.dry_run ? "would be" : "were", gain_text(before, after)));
  if (arguments.dry_run) {
    table.notes.push_back(fmt::format(
        "estimated from a sample of the chunks; nothing was written; all values: {}, in about {}",
        gain_text(all, all - before + after), study::duration(seconds)));
  }
  return table;
}

/// The file to write; throws Error if it cannot be, before any work.
std::filesystem::path target_of(const RepackArguments& arguments) {
  if (arguments.in_place) return std::filesystem::canonical(arguments.input);
  refuse_to_replace_data(arguments.input, arguments.output);
  const auto target = codec::file_to_write(arguments.output, arguments.force);
  if (!target) throw Error(arguments.output + " is no regular file; name one");
  return *target;
}

/// Shows how far a phase of the work is, how many bytes it did, and how long it will take.
std::function<void(const repack::Step&)> progress_on(const study::ProgressLine& line) {
  return [&line, all = std::uint64_t{0}, start = Clock::now()](const repack::Step& step) mutable {
    if (step.all != all) start = Clock::now();
    all = step.all;
    std::string text = printable(step.what);
    if (all > 0) {
      const double share = double(step.done) / double(all);
      text +=
          fmt::format("  {:5.1f} %  {} of {}", 100 * share, size_text(step.done), size_text(all));
      if (share > 0) {
        text +=
            fmt::format("  {} left", study::duration(seconds_since(start) * (1 - share) / share));
      }
    }
    line.show(text);
  };
}

/// Writes the file. Adds what became of it to the table, whose file is then complete.
results::Table write(const RepackArguments& arguments, repack::Options& options,
                     const codec::Input& input) {
  const std::filesystem::path target = target_of(arguments);
  options.target = arguments.in_place ? arguments.input : arguments.output;
  AtomicFile out(target, arguments.force || arguments.in_place);
  repack::Copier copier;
  const std::uint64_t before = input.bytes().size();
  std::uint64_t after = 0;
  bool any = false;
  results::Table table = while_unchanged(input, [&] {
    repack::Plan plan = repack::plan(arguments.input, options);
    any = std::ranges::any_of(plan.datasets, [](const auto& one) { return one.left.empty(); });
    if (any || !arguments.in_place) {
      copier.write(arguments.input, out.temporary(), plan, options);
      repack::verify(arguments.input, out.temporary(), plan, options);
      after = std::filesystem::file_size(out.temporary());
    }
    return table_of(plan, arguments);
  });
  if (arguments.in_place && (!any || after >= before)) {
    table.notes.push_back(
        fmt::format("{} stays as it was: it would not become smaller", arguments.input));
    return table;
  }
  table.notes.push_back(fmt::format(
      "the file: {} -> {}, {:.3f} times as many before; every value was read back and compared, "
      "and all else that the file holds",
      before, counted(after, "byte"), double(before) / double(after)));
  out.commit();
  return table;
}

void run(const RepackArguments& arguments) {
  if (arguments.in_place && !arguments.output.empty()) {
    throw UsageError("--in-place replaces IN; leave out OUT, or --in-place");
  }
  if (arguments.output.empty() && !arguments.in_place && !arguments.dry_run) {
    throw UsageError(
        "OUT is required, unless with --dry-run or --in-place\nfpsynth repack --help explains it");
  }
  repack::Options options = options_of(arguments);
  modules::checked_hdf5_plugins();
  // The new file is locked until it is complete; libhdf5 would not read it.
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  const study::ProgressLine line;
  options.progress = progress_on(line);
  const codec::Input input = codec::Input::open(arguments.input);
  const results::Table table =
      arguments.dry_run
          ? while_unchanged(
                input, [&] { return table_of(repack::plan(arguments.input, options), arguments); })
          : write(arguments, options, input);
  line.show("");
  put_tables({table}, arguments.table, "repack");
  if (arguments.dry_run) return;
  print_error(
      "Programs that read it need the filter: pip install fpsynth_hdf5, or export "
      "HDF5_PLUGIN_PATH=$(fpsynth hdf5 path)\n"
      "How, program by program: docs/hdf5-netcdf.md, its first section\n");
}

}  // namespace

void add_repack(Command app) {
  Command command =
      app.add_subcommand("repack", "Write an HDF5 or netCDF-4 file anew with the HDF5 filter");
  auto arguments = std::make_shared<RepackArguments>();
  command.add_option("IN", arguments->input, "HDF5 or netCDF-4 file").required();
  command.add_option("OUT", arguments->output, "File to write; not with --dry-run and --in-place");
  command
      .add_option("--method", arguments->method,
                  "Method for all variables, as compress takes it; auto: the best for each, which "
                  "is searched for")
      .show_default();
  command
      .add_option("--only", arguments->options.only,
                  "Write these variables anew, and leave the others as they are")
      .value_name("NAME")
      .one_value_a_time();
  command
      .add_option("--chunk", arguments->chunks,
                  "Chunks of this shape for variables of as many dimensions, slowest first, or for "
                  "one of them: NAME=64x64")
      .value_name("SHAPE")
      .one_value_a_time();
  command.add_flag("--in-place", arguments->in_place,
                   "Replace IN, once the new file is written beside it, compared and smaller; no "
                   "OUT");
  command.add_flag("--dry-run", arguments->dry_run,
                   "Only say what would be done, with sizes and seconds that a sample lets expect");
  add_auto(command, arguments->automatic);
  add_chunk_words(command, arguments->chunk_words);
  command.add_threads(arguments->options.choice.threads,
                      "Threads that search; h5repack writes with one. As many as OpenMP has if "
                      "left out");
  command.add_flag("--force", arguments->force, "Replace OUT if it exists");
  add_table_output(command, arguments->table);
  command.footer(
      "Examples:\n"
      "  fpsynth repack ocean.nc smaller.nc\n"
      "  fpsynth repack ocean.nc --dry-run\n"
      "  fpsynth repack ocean.nc --in-place\n"
      "  fpsynth repack run.h5 out.h5 --only /step7/velocity --chunk /step7/velocity=1x64x256\n"
      "  fpsynth repack run.h5 out.h5 --method \"LNV2s BIT | RLE\" --json\n"
      "\n"
      "Variables of 4 and 8 byte floats and integers are written anew, unless they are small\n"
      "or would not become smaller. The others, groups, links, attributes, dimensions and\n"
      "fill values stay. Chunks stay if they have 16 KiB to 64 MiB; otherwise they get at\n"
      "most 1 MiB. h5repack (hdf5-tools) writes; then both files are read and compared. OUT\n"
      "appears when all is the same.\n"
      "Who reads OUT needs the plugin: export HDF5_PLUGIN_PATH=$(fpsynth hdf5 path).");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
