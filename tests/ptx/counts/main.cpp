// count_kernels: what the kernels of GPUs do, counted in their PTX, without a GPU.

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "runners/cli/arguments.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/cli/commands.hpp"
#include "runners/device/kernel.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"
#include "tests/ptx/counts/kernel_counts.hpp"
#include "tests/ptx/counts/sass.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Chunks for baselines and codecs: some more, so that what a launch costs does not decide.
constexpr std::size_t kCoded = 64;

/// A GPU for which bounds and estimates are computed.
struct Card {
  const char *name, *architecture;
  double multiprocessors, hertz, l2_cycles;  ///< the latency of the L2 cache
  /// Of a multiprocessor.
  std::size_t shared;
  unsigned lanes, blocks;
};
constexpr Card kCards[] = {
    {"H100", "sm_90", 132, 1.7e9, 263, std::size_t{228} << 10, 2048, 32},
    {"A100", "sm_80", 108, 1.41e9, 261.5, std::size_t{164} << 10, 2048, 32},
    {"RTX4090", "sm_89", 128, 2.52e9, 273, std::size_t{100} << 10, 1536, 24},
};
/// Of a multiprocessor of all of them.
constexpr double kIssues = 4;
constexpr unsigned kRegisters = 65536;

struct KernelArguments : BenchArguments {
  KernelArguments() { chunks = 1; }
  unsigned stages = 4;
  std::vector<std::string> cards;
};

/// Bytes per second if every cycle issued so many instructions, of the count that is given.
double bytes_per_second(const Card& card, const ptx::KernelCount& count, double instructions,
                        double issues) {
  return count.bytes * card.multiprocessors * issues * card.hertz / std::max(instructions, 1.0);
}

/// The estimate of a kernel on a GPU.
struct Estimate {
  const ptx::CompiledKernel* kernel;
  ptx::SassEstimate sass;
  unsigned blocks, warps;                   ///< that a multiprocessor holds
  double by_stalls, by_latencies, from_l2;  ///< bytes per second
};

/// Thread blocks that a multiprocessor holds.
unsigned blocks_of(const Card& card, const ptx::KernelCount& count, unsigned registers) {
  const auto by_shared =
      static_cast<unsigned>(card.shared / (count.shared_bytes + device::kSystemsShared));
  const unsigned by_registers = kRegisters / ((std::max(registers, 1u) + 7) / 8 * 8 * count.lanes);
  return std::min({card.blocks, card.lanes / count.lanes, by_shared, by_registers});
}

Estimate estimate_of(const Card& card, const ptx::KernelCount& count,
                     const ptx::CompiledKernel& kernel) {
  Estimate made{&kernel,
                ptx::estimate(kernel.code, count.lines, card.l2_cycles),
                blocks_of(card, count, kernel.registers),
                0,
                0,
                0,
                0};
  made.warps = made.blocks * count.lanes / 32;
  const auto with = [&](double cycles) {
    return bytes_per_second(card, count, made.sass.instructions,
                            std::min(kIssues, made.warps / std::max(cycles, 1.0)));
  };
  made.by_stalls = with(made.sass.by_stalls);
  made.by_latencies = with(made.sass.by_latencies);
  made.from_l2 = with(made.sass.from_l2);
  return made;
}

/// "DecodeKernel<InterpretedProgram<unsigned long>, SharedBlocks>": the name without namespaces.
std::string plain(const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.compare(i, 2, "::") != 0) {
      text += name[i];
      continue;
    }
    text.erase(text.find_last_of("<, ") == text.npos ? 0 : text.find_last_of("<, ") + 1);
    ++i;
  }
  return text;
}

Json json_of(const ptx::KernelCount& count) {
  return {{"work", count.work},
          {"kernel", count.kernel},
          {"bytes", count.bytes},
          {"bytes_are", count.pipeline_bytes ? "pipeline-bytes" : "bytes of original"},
          {"launches", count.launches},
          {"lanes", count.lanes},
          {"shared_bytes", count.shared_bytes},
          {"warp_instructions", count.instructions},
          {"shared_wavefronts", count.wavefronts},
          {"shared_wavefronts_without_conflicts", count.ideal_wavefronts},
          {"barriers_of_warps", count.barriers},
          {"upper_bound_bytes_per_second",
           bytes_per_second(kCards[0], count, double(count.instructions), kIssues)}};
}

Json json_of(const Card& card, const Estimate& made) {
  return {{"device", card.name},
          {"registers", made.kernel->registers},
          {"spill_store_bytes", made.kernel->spill_stores},
          {"spill_load_bytes", made.kernel->spill_loads},
          {"blocks_per_multiprocessor", made.blocks},
          {"warps_per_multiprocessor", made.warps},
          {"sass_warp_instructions", made.sass.instructions},
          {"code_bytes", made.kernel->code.size() * 16},
          {"hot_code_bytes", made.sass.hot_bytes},
          {"cycles_per_instruction",
           {{"stall_counts", made.sass.by_stalls},
            {"and_latencies", made.sass.by_latencies},
            {"and_global_memory_from_l2", made.sass.from_l2}}},
          {"estimated_bytes_per_second",
           {{"stall_counts", made.by_stalls},
            {"and_latencies", made.by_latencies},
            {"and_global_memory_from_l2", made.from_l2}}}};
}

Json json_of(const Card& card) {
  return {{"device", card.name},
          {"architecture", card.architecture},
          {"multiprocessors", card.multiprocessors},
          {"issues_per_cycle", kIssues},
          {"hertz", card.hertz},
          {"l2_cycles", card.l2_cycles}};
}

/// Prints rows of numbers and a kernel's name, under the names of the works.
template <class Row>
void print(const std::vector<ptx::KernelCount>& counts, Row row) {
  std::string title;
  for (const auto& count : counts) {
    if (count.work != title) fmt::print("{}\n", title = count.work);
    row(count);
  }
}

std::string thousands(double sum) { return fmt::format("{:.1f}", sum / 1e3); }

void print(const KernelArguments& arguments, const std::vector<ptx::KernelCount>& counts) {
  const Card& card = kCards[0];
  fmt::print(
      "Counts of PTX, not times: {} searched, in pipelines of {}; {} through the codecs.\n"
      "The last number is an upper bound and nothing else: what {} multiprocessors ({}) would do "
      "if each\nissued {} instructions in every cycle at {} GHz, in G pipeline-bytes/s of a "
      "search, else in GB/s of original.\n",
      counted(arguments.chunks, "chunk"), counted(arguments.stages, "stage"),
      counted(kCoded, "chunk"), card.multiprocessors, card.name, kIssues, card.hertz / 1e9);
  if (FPSYNTH_QUICK_CUDA) {
    fmt::print(
        "nvcc has optimized this device code less: -DFPSYNTH_QUICK_CUDA=OFF for that of a "
        "release.\n");
  }
  fmt::print("\n{:>12} {:>12} {:>12} {:>10} {:>12}\n{:>12} {:>12} {:>12} {:>10} {:>12}  {}\n",
             "k warp", "k shared", "k without", "k warps at", "upper bound", "instructions",
             "wavefronts", "conflicts", "barriers", "G/s", "kernel");
  print(counts, [&](const ptx::KernelCount& count) {
    fmt::print("{:>12} {:>12} {:>12} {:>10} {:>12.1f}  {}\n", thousands(double(count.instructions)),
               thousands(double(count.wavefronts)), thousands(double(count.ideal_wavefronts)),
               thousands(double(count.barriers)),
               bytes_per_second(card, count, double(count.instructions), kIssues) / 1e9,
               plain(count.kernel));
  });
}

void print(const Card& card, const std::vector<ptx::KernelCount>& counts, const auto& of) {
  fmt::print(
      "\nESTIMATE for the {} ({}, {} multiprocessors at {} GHz) by what ptxas wrote into the SASS, "
      "not measured;\ninstruction fetches and bank conflicts cost nothing in it. Cycles in which a "
      "warp issues an instruction: by stall\ncounts; with waits for shared memory and L1; with "
      "global memory from L2. Then G/s by the latter two.\n",
      card.name, card.architecture, card.multiprocessors, card.hertz / 1e9);
  fmt::print("\n{:>12} {:>6} {:>6} {:>6} {:>9} {:>12} {:>6} {:>8} {:>10} {:>10}\n", "k warp",
             "stall", "with", "with", "", "spilled and", "warps", "hot code", "ESTIMATE",
             "with L2");
  fmt::print("{:>12} {:>6} {:>6} {:>6} {:>9} {:>12} {:>6} {:>8} {:>10} {:>10}  {}\n",
             "instructions", "counts", "waits", "L2", "registers", "filled bytes", "per MP", "KiB",
             "G/s", "G/s", "kernel");
  print(counts, [&](const ptx::KernelCount& count) {
    const Estimate made = of(count);
    fmt::print(
        "{:>12} {:>6.2f} {:>6.2f} {:>6.2f} {:>9} {:>12} {:>6} {:>8.1f} {:>10.1f} {:>10.1f}  "
        "{}\n",
        thousands(made.sass.instructions), made.sass.by_stalls, made.sass.by_latencies,
        made.sass.from_l2, made.kernel->registers,
        fmt::format("{}/{}", made.kernel->spill_stores, made.kernel->spill_loads), made.warps,
        made.sass.hot_bytes / 1024, made.by_latencies / 1e9, made.from_l2 / 1e9,
        plain(count.kernel));
  });
}

void count(const KernelArguments& arguments) {
  ptx::KernelWork work;
  work.stages = arguments.stages;
  BenchArguments in = arguments;
  const auto chunks = [&](const char* precision, std::size_t count) {
    in.precision = precision;
    return chunks_of(in, count);
  };
  work.searched_doubles = chunks("double", arguments.chunks);
  work.searched_singles = chunks("single", arguments.chunks);
  work.coded_doubles = chunks("double", kCoded);
  work.coded_singles = chunks("single", kCoded);
  const std::vector<ptx::KernelCount> counts = ptx::count_kernels(work);
  if (!arguments.output.json) print(arguments, counts);
  Json rows = Json::array(), cards = Json::array();
  for (const auto& count : counts) rows.push_back(json_of(count));
  for (const Card& card : kCards) {
    if (std::ranges::find(arguments.cards, card.name) == arguments.cards.end()) continue;
    const auto kernels = ptx::compiled_kernels(card.architecture);
    const auto of = [&](const ptx::KernelCount& count) {
      return estimate_of(card, count, kernels.at(count.kernel));
    };
    if (!arguments.output.json) print(card, counts, of);
    cards.push_back(json_of(card));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      rows[i]["estimates"].push_back(json_of(card, of(counts[i])));
    }
  }
  if (!arguments.output.json) return;
  Json run = provenance(arguments);
  run["device"] = "interpreter of PTX";
  run["stages"] = "cuda";
  run["quick_cuda"] = bool(FPSYNTH_QUICK_CUDA);
  for (const char* none : {"threads", "precision", "repetitions"}) run.erase(none);
  run["first_chunk"] = arguments.first_chunk;
  run["stages_of_pipelines"] = arguments.stages;
  run["bound_for"] = json_of(kCards[0]);
  if (!cards.empty()) {
    run["estimates_for"] = cards;
    run["latencies"] = ptx::kLatencies;
  }
  fmt::print("{}\n", json_text(Json{{"benchmark", "kernels"}, {"run", run}, {"rows", rows}}, 1));
}

int run(int argc, char** argv) {
  KernelArguments arguments;
  Program program("count_kernels", "What the GPU's kernels do, counted in their PTX; needs no GPU",
                  version_text);
  Command command = program.command();
  command.add_option("FILE", arguments.files,
                     "Data to take chunks from; the 13 synthetic sets if left out");
  add_type(command, arguments.type);
  add_reading(command, arguments.type);
  command.add_option("--chunk", arguments.first_chunk, "The first chunk of 1024 words to take")
      .range(std::size_t{0}, std::size_t{1} << 40)
      .show_default();
  command.add_option("--chunks", arguments.chunks, "Chunks to search; the codecs get 64")
      .range(std::size_t{1}, std::size_t{1024})
      .show_default();
  command
      .add_option("--stages", arguments.stages,
                  "Stages of the searched pipelines; the paper has 4, which takes minutes")
      .range(1u, 4u)
      .show_default();
  std::vector<std::string> cards;
  for (const Card& card : kCards) cards.emplace_back(card.name);
  command
      .add_option("--sass", arguments.cards,
                  "Compile the kernels with the CUDA Toolkit's ptxas and nvdisasm for these GPUs, "
                  "which takes minutes, and estimate registers, cycles and speed")
      .one_of_any_case(cards)
      .separated_by(',')
      .one_value_a_time();
  command.add_flag("--json", arguments.output.json, "Raw figures with provenance, as JSON");
  command.footer(
      "Examples:\n"
      "  count_kernels --stages 3\n"
      "  count_kernels num_plasma.trace.fpc --chunk 1000 --sass H100,A100 --json");
  command.callback([&] { count(arguments); });
  return program.run(argc, argv);
}

}  // namespace
}  // namespace fpsynth::cli

int main(int argc, char** argv) {
  try {
    return fpsynth::cli::run(argc, argv);
  } catch (const fpsynth::Error& error) {
    fmt::print(stderr, "count_kernels: {}\n", error.what());
    return error.status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "count_kernels: {}\n", error.what());
    return 1;
  }
}
