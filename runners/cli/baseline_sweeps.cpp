// fpsynth baseline pfpc sweep, fpsynth baseline gfc sweep: the papers' figures on one's own data.

#include "runners/cli/baseline_sweeps.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "results/table.hpp"
#include "runners/baselines/gfc.hpp"
#include "runners/baselines/gfc_sweep.hpp"
#include "runners/baselines/measure.hpp"
#include "runners/baselines/pfpc_sweep.hpp"
#include "runners/data/fcm_predictor.hpp"
#include "runners/data/input.hpp"
#include "runners/search/device.hpp"
#include "synth/version.hpp"

namespace fpsynth::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::vector<unsigned> tables, threads, gfc_chunks = {1, 10, 100, 1000};
  std::vector<std::uint32_t> chunks;
  unsigned dimensionality = 1;
  int repetitions = 3;
  bool json = false, csv = false;
};

std::vector<data::Input> open(const Arguments& arguments) {
  std::vector<data::Input> inputs;
  for (const std::string& file : arguments.files) inputs.push_back(data::open_input(file));
  baselines::keep_freed_memory();
  return inputs;
}

baselines::Progress progress() {
  if (!::isatty(STDERR_FILENO)) return nullptr;
  return [](const std::string& doing) { fmt::print(stderr, "\r\x1b[K{}", doing); };
}

void print(const Arguments& arguments, results::Table table) {
  if (::isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K");
  table.notes.push_back(fmt::format("{}, fpsynth {} ({}), {}.", search::cpu_name(), synth::kVersion,
                                    synth::kCommit, synth::kCompiler));
  const std::vector<results::Table> tables{std::move(table)};
  fmt::print("{}", arguments.json  ? results::to_json(tables)
                   : arguments.csv ? results::to_csv(tables)
                                   : results::to_text(tables));
}

CLI::App* add_sweep(CLI::App& parent, const std::shared_ptr<Arguments>& arguments,
                    const char* help) {
  auto* command = parent.add_subcommand("sweep", help);
  command->add_option("FILE", arguments->files, "Raw or FPC files of doubles")->required();
  command->add_option("--repetitions", arguments->repetitions, "Timed runs; the median is shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  auto* json = command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--csv", arguments->csv, "Print CSV")->excludes(json);
  return command;
}

}  // namespace

void add_pfpc_sweep(CLI::App& pfpc) {
  auto arguments = std::make_shared<Arguments>();
  auto* command =
      add_sweep(pfpc, arguments, "Ratio and throughput by table size, threads and chunk size");
  command
      ->add_option("--tables", arguments->tables,
                   "Exponents P of table sizes, as 9,17: 2^P entries, 16 * 2^P bytes per thread")
      ->delimiter(',')
      ->check(CLI::Range(data::kMinTableBits, data::kMaxTableBits));
  command->add_option("--threads", arguments->threads, "Numbers of threads, as 1,2,4")
      ->delimiter(',')
      ->check(CLI::Range(1u, baselines::kMaxPfpcThreads));
  command->add_option("--chunks", arguments->chunks, "Chunk sizes in values, as 1,1024")
      ->delimiter(',')
      ->check(CLI::Range(std::uint32_t{1}, ~std::uint32_t{0}));
  command->footer(
      "Without --tables, --threads and --chunks, the settings of Figures 2, 3 and 4 of the paper;\n"
      "with one of them, all combinations, of 9,17, 1,2,3,4 and 1,8,64,512,4096,32768 where left\n"
      "out. Every round trip is verified. Several files get rows with their harmonic means.\n"
      "\n"
      "Examples:\n"
      "  fpsynth baseline pfpc sweep num_plasma.trace.fpc --csv > figures.csv\n"
      "  fpsynth baseline pfpc sweep data/*.f64 --tables 20 --threads 1,2,4,8 --chunks 1024");
  command->callback([arguments] {
    std::vector<baselines::PfpcParameters> settings = baselines::pfpc_figures();
    if (!arguments->tables.empty() || !arguments->threads.empty() || !arguments->chunks.empty()) {
      if (arguments->tables.empty()) arguments->tables = {9, 17};
      if (arguments->threads.empty()) arguments->threads = {1, 2, 3, 4};
      if (arguments->chunks.empty()) arguments->chunks = {1, 8, 64, 512, 4096, 32768};
      settings = baselines::pfpc_product(arguments->tables, arguments->threads, arguments->chunks);
    }
    const auto inputs = open(*arguments);
    print(*arguments, baselines::pfpc_sweep(inputs, settings, arguments->repetitions, progress()));
  });
}

void add_gfc_sweep(CLI::App& gfc) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = add_sweep(gfc, arguments, "Ratio and throughput by number of chunks");
  command->add_option("--dim", arguments->dimensionality, "Dimensionality of the data, 1 to 32")
      ->check(CLI::Range(1u, baselines::kMaxGfcDimensionality))
      ->capture_default_str();
  command->add_option("--chunks", arguments->gfc_chunks, "Numbers of chunks")
      ->delimiter(',')
      ->check(CLI::Range(1u, baselines::kMaxGfcChunks))
      ->option_text("N,... [1,10,100,1000]");
  command->footer(
      "Every round trip is verified. Several files get rows with their harmonic means.\n"
      "\n"
      "Example:\n"
      "  fpsynth baseline gfc sweep num_plasma.trace.fpc --dim 2");
  command->callback([arguments] {
    const auto inputs = open(*arguments);
    print(*arguments, baselines::gfc_sweep(inputs, arguments->dimensionality, arguments->gfc_chunks,
                                           arguments->repetitions, progress()));
  });
}

}  // namespace fpsynth::cli
