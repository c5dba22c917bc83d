// fpsynth baseline NAME sweep: the papers' figures, measured on the user's data.
#include <fmt/core.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/one_gpu.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/data/fpc/fcm_predictor.hpp"
#include "runners/data/input.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/measure.hpp"
#include "runners/timing/sweeps/gfc.hpp"
#include "runners/timing/sweeps/holt.hpp"
#include "runners/timing/sweeps/pfpc.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cli {
namespace {

/// Shortest repetition: small data sets take microseconds, no longer than the system's
/// disturbances.
constexpr double kLeastSeconds = 0.002;

struct Arguments : StudyArguments {
  std::vector<unsigned> tables, instances, gfc_chunks = {1, 10, 100, 1000};
  std::vector<std::uint32_t> chunks;
  unsigned dimensionality = 0;  // 0: each data set's own
  timing::Effort effort{.repetitions = 3, .least_seconds = kLeastSeconds};
  GpuChoice gpu;
  TableOutput output;
  std::vector<std::string> notes;  // about the data
};

data::Study study_of_sweep(const Arguments& arguments) {
  data::Study study = study_of(arguments, "sweep");
  refuse_to_replace_data(study, arguments.output.out);
  return study;
}

/// Opens the data of an item. Adds a note if they are not what was published.
data::Input open(const data::StudyItem& item, Arguments& arguments) {
  data::Input input = item.open();
  if (const auto note = unlike_published(item, input)) arguments.notes.push_back(*note);
  return input;
}

std::vector<data::Input> open(Arguments& arguments) {
  std::vector<data::Input> inputs;
  for (const data::StudyItem& item : study_of_sweep(arguments).items) {
    inputs.push_back(open(item, arguments));
  }
  return inputs;
}

/// Opens the data with the dimensionalities that `compare` uses, or 1 if they are unknown or GFC
/// does not support them.
std::vector<timing::GfcInput> open_for_gfc(Arguments& arguments) {
  std::vector<timing::GfcInput> inputs;
  for (const data::StudyItem& item : study_of_sweep(arguments).items) {
    data::Input input = open(item, arguments);
    unsigned dimensionality = arguments.dimensionality;
    if (dimensionality == 0) dimensionality = known_dimensionality(item, input);
    if (dimensionality < 1 || dimensionality > baselines::kMaxGfcDimensionality) dimensionality = 1;
    inputs.push_back({std::move(input), dimensionality});
  }
  return inputs;
}

timing::Progress progress() {
  if (!::isatty(STDERR_FILENO)) return nullptr;
  return [](const std::string& doing) { print_error("\r\x1b[K{}", doing); };
}

void put(const Arguments& arguments, std::vector<results::Table> tables, const char* kind) {
  if (::isatty(STDERR_FILENO)) print_error("\r\x1b[K");
  for (const std::string& note : arguments.notes) tables.front().notes.push_back(note);
  tables.front().notes.push_back(fmt::format("{}, fpsynth {} ({}), {}.", device::cpu_name(),
                                             synth::kVersion, synth::kCommit, synth::kCompiler));
  put_tables(tables, arguments.output, kind);
}

Command add_sweep(Command parent, const std::shared_ptr<Arguments>& arguments, const char* help) {
  Command command = parent.add_subcommand("sweep", help);
  add_data_options(command, *arguments);
  command
      .add_option("--repetitions", arguments->effort.repetitions,
                  "Timed runs, or as many as take 2 ms; the median is shown")
      .range(1, 1000)
      .show_default();
  add_table_output(command, arguments->output);
  return command;
}

}  // namespace

void add_pfpc_sweep(Command pfpc) {
  auto arguments = std::make_shared<Arguments>();
  Command command =
      add_sweep(pfpc, arguments, "Ratio and throughput by table size, threads and chunk size");
  command
      .add_option("--tables", arguments->tables,
                  "Exponents P of table sizes, as 9,17: 2^P entries, 16 * 2^P bytes per thread")
      .separated_by(',')
      .range(data::kMinTableBits, data::kMaxTableBits);
  add_timed_bytes(command, arguments->effort);
  command
      .add_option("--instances,--threads", arguments->instances,
                  "Numbers of instances, the paper's threads, as 1,2,4")
      .separated_by(',')
      .range(1u, baselines::kMaxPfpcThreads);
  command.add_option("--chunks", arguments->chunks, "Chunk sizes in values, as 1,1024")
      .separated_by(',')
      .range(std::uint32_t{1}, ~std::uint32_t{0});
  command.footer(
      "Without --instances and --chunks, the settings of Figures 2, 3 and 4 of the paper; with "
      "one\n"
      "of them, all combinations, of 1,2,3,4 and 1,8,64,512,4096,32768 where left out. --tables "
      "are\n"
      "the paper's 9,17 if left out. Every round trip is verified. Several files get rows with\n"
      "their harmonic means.\n"
      "\n"
      "Examples:\n"
      "  fpsynth baseline pfpc sweep num_plasma.trace.fpc --csv > figures.csv\n"
      "  fpsynth baseline pfpc sweep data/*.f64 --tables 20 --instances 1,2,4,8 --chunks 1024");
  command.callback([arguments] {
    if (arguments->tables.empty()) arguments->tables = {9, 17};
    std::vector<baselines::PfpcParameters> settings = timing::pfpc_figures(arguments->tables);
    if (!arguments->instances.empty() || !arguments->chunks.empty()) {
      if (arguments->instances.empty()) arguments->instances = {1, 2, 3, 4};
      if (arguments->chunks.empty()) arguments->chunks = {1, 8, 64, 512, 4096, 32768};
      settings = timing::pfpc_product(arguments->tables, arguments->instances, arguments->chunks);
    }
    const auto inputs = open(*arguments);
    put(*arguments, {timing::pfpc_sweep(inputs, settings, arguments->effort, progress())},
        "sweep pfpc");
  });
}

void add_gfc_sweep(Command gfc) {
  auto arguments = std::make_shared<Arguments>();
  Command command =
      add_sweep(gfc, arguments, "Ratio and throughput by number of chunks, and leading zeros");
  command
      .add_option("--dim", arguments->dimensionality,
                  "Dimensionality of all data, 1 to 32; if left out, that of each data set as far "
                  "as it is known, else 1")
      .range(1u, baselines::kMaxGfcDimensionality);
  command.add_option("--chunks", arguments->gfc_chunks, "Numbers of chunks")
      .separated_by(',')
      .range(1u, baselines::kMaxGfcChunks)
      .usage("N,... [1,10,100,1000]");
  add_timed_bytes(command, arguments->effort);
  command.footer(
      "Every round trip is verified. Several files get rows with their harmonic means.\n"
      "\n"
      "Example:\n"
      "  fpsynth baseline gfc sweep num_plasma.trace.fpc --dim 2");
  command.callback([arguments] {
    const auto inputs = open_for_gfc(*arguments);
    put(*arguments,
        {timing::gfc_sweep(inputs, arguments->gfc_chunks, arguments->effort, progress()),
         timing::gfc_leading_zeros(inputs)},
        "sweep gfc");
  });
}

void add_holt_sweep(Command holt) {
  auto arguments = std::make_shared<Arguments>();
  Command command = add_sweep(holt, arguments, "Ratio and throughput by size, in single precision");
  command.footer(
      "Uses the first 4 KiB of each data set, four times as much, and so on. Every round trip is\n"
      "verified. On a GPU its kernels and transfers are timed apart.\n"
      "\n"
      "Examples:\n"
      "  fpsynth baseline holt sweep num_plasma.trace.fpc\n"
      "  fpsynth baseline holt sweep num_plasma.trace.fpc --backend cuda");
  add_gpu_choice(command, arguments->gpu);
  command.callback([arguments] {
    const auto gpu = gpu_of(arguments->gpu);
    const auto inputs = open(*arguments);
    if (!gpu) {
      put(*arguments, {timing::holt_sweep(inputs, arguments->effort, progress())}, "sweep holt");
      return;
    }
    const auto device = baselines::holt_on(*gpu);
    put(*arguments,
        {timing::holt_sweep_on(*device, gpu->name, inputs, arguments->effort, progress())},
        "sweep holt");
  });
}

}  // namespace fpsynth::cli
