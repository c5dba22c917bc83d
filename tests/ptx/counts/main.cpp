// count_kernels: what the kernels of GPUs do, counted in their PTX, without a GPU.

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <set>
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
constexpr unsigned kRegisters = 65536;

struct KernelArguments : BenchArguments {
  KernelArguments() {
    chunks = 1;
    precision = "both";
  }
  unsigned stages = 4;
  bool search_alone = false;
  std::vector<std::string> cards;
};

/// Bytes per second if every cycle issued so many instructions, of the count that is given.
double bytes_per_second(const Card& card, const ptx::KernelCount& count, double instructions,
                        double issues) {
  return count.bytes * card.multiprocessors * issues * card.hertz / std::max(instructions, 1.0);
}
/// The most that a count of PTX allows: every scheduler issues, and no wavefront of shared memory
/// waits for another.
double upper_bound(const Card& card, const ptx::KernelCount& count) {
  const double cycles =
      std::max(double(count.instructions) / ptx::kSchedulers, double(count.wavefronts));
  return bytes_per_second(card, count, cycles, 1);
}

/// One end of the range in which a kernel is estimated to be.
struct End {
  ptx::IssueRate rate;
  double bytes_per_second;
};
/// The estimate of a kernel on a GPU.
struct Estimate {
  const ptx::CompiledKernel* kernel;
  ptx::SassEstimate sass;
  unsigned blocks, warps;  ///< that a multiprocessor holds
  double fetch_cycles;     ///< of an instruction, if all that the cache does not hold is waited for
  End low, high;
};

/// Thread blocks that a multiprocessor holds.
unsigned blocks_of(const Card& card, const ptx::KernelCount& count, unsigned registers) {
  const auto by_shared =
      static_cast<unsigned>(card.shared / (count.shared_bytes + device::kSystemsShared));
  const unsigned by_registers = kRegisters / ((std::max(registers, 1u) + 7) / 8 * 8 * count.lanes);
  return std::min({card.blocks, card.lanes / count.lanes, by_shared, by_registers});
}

/// High: global memory is in the L1 cache and the code in that of instructions. Low: global memory
/// is in L2, and every fetch of code that the cache cannot hold waits for L2, with nothing beside
/// it.
Estimate estimate_of(const Card& card, const ptx::KernelCount& count,
                     const ptx::CompiledKernel& kernel) {
  Estimate made{&kernel,
                ptx::estimate(kernel.code, count.lines, card.l2_cycles),
                blocks_of(card, count, kernel.registers),
                0,
                0,
                {},
                {}};
  const ptx::SassEstimate& sass = made.sass;
  made.warps = made.blocks * count.lanes / 32;
  made.fetch_cycles = sass.misses * card.l2_cycles;
  const auto end = [&](double cycles, double fetches) {
    const auto rate =
        ptx::issue_rate({made.warps, cycles, fetches,
                         double(count.wavefronts) / std::max(sass.instructions, 1.0), sass.pipes});
    return End{rate, bytes_per_second(card, count, sass.instructions, rate.instructions)};
  };
  made.high = end(sass.by_latencies, 0);
  made.low = end(sass.from_l2, made.fetch_cycles);
  return made;
}

/// The ends of a piece of work whose kernels run after each other, in bytes per second.
struct WorkRange {
  std::string work;
  double low, high;
};
std::vector<WorkRange> ranges_of(const std::vector<ptx::KernelCount>& counts, const auto& of) {
  std::vector<WorkRange> works;
  for (const auto& count : counts) {
    if (works.empty() || works.back().work != count.work) works.push_back({count.work, 0, 0});
    const Estimate made = of(count);
    works.back().low += 1 / made.low.bytes_per_second;
    works.back().high += 1 / made.high.bytes_per_second;
  }
  for (WorkRange& work : works) work = {work.work, 1 / work.low, 1 / work.high};
  return works;
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
          {"upper_bound_bytes_per_second", upper_bound(kCards[0], count)}};
}

Json json_of(const End& end) {
  return {{"estimated_bytes_per_second", end.bytes_per_second},
          {"instructions_per_cycle", end.rate.instructions},
          {"bound", end.rate.bound}};
}

Json json_of(const Card& card, const Estimate& made) {
  Json shares;
  for (std::size_t pipe = 0; pipe < ptx::kPipes.size(); ++pipe) {
    shares[ptx::kPipes[pipe].name] = made.sass.pipes[pipe];
  }
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
            {"and_global_memory_from_l2", made.sass.from_l2},
            {"fetches", made.fetch_cycles}}},
          {"shares_of_pipes", shares},
          {"low", json_of(made.low)},
          {"high", json_of(made.high)}};
}

Json json_of(const Card& card) {
  return {{"device", card.name},
          {"architecture", card.architecture},
          {"multiprocessors", card.multiprocessors},
          {"schedulers", ptx::kSchedulers},
          {"instruction_cache_bytes", ptx::kInstructionCache},
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
      "if each\nissued {} instructions or did one wavefront in every cycle at {} GHz, in G "
      "pipeline-bytes/s of a search,\nelse in GB/s of original.\n",
      counted(arguments.chunks, "chunk"), counted(arguments.stages, "stage"),
      counted(arguments.search_alone ? 0 : kCoded, "chunk"), card.multiprocessors, card.name,
      ptx::kSchedulers, card.hertz / 1e9);
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
               thousands(double(count.barriers)), upper_bound(card, count) / 1e9,
               plain(count.kernel));
  });
}

/// A range as in "0.62 to 1.04".
std::string range(double low, double high, int digits) {
  return fmt::format("{:.{}f} to {:.{}f}", low, digits, high, digits);
}

void print(const Card& card, const std::vector<ptx::KernelCount>& counts, const auto& of) {
  fmt::print(
      "\nESTIMATE for the {} ({}, {} multiprocessors at {} GHz) by what ptxas wrote into the SASS, "
      "not measured.\nCycles in which a warp that is alone issues an instruction: by stall counts; "
      "with waits for shared memory\nand L1; with global memory from L2; and those of code beyond "
      "{} KiB, if every such fetch waits for L2.\nThe range is from the last two to the second; "
      "each end with what bounds it.\n",
      card.name, card.architecture, card.multiprocessors, card.hertz / 1e9,
      ptx::kInstructionCache >> 10);
  const auto row = [](auto... cells) {
    fmt::print("{:>12} {:>6} {:>6} {:>6} {:>6} {:>9} {:>12} {:>6} {:>8} {:>12} {:>20}", cells...);
  };
  fmt::print("\n");
  row("k warp", "stall", "with", "with", "with", "", "spilled and", "warps", "hot code",
      "issues in", "ESTIMATE,");
  fmt::print("\n");
  row("instructions", "counts", "waits", "L2", "fetch", "registers", "filled bytes", "per MP",
      "KiB", "a cycle", "G/s");
  fmt::print("  bounds; kernel\n");
  print(counts, [&](const ptx::KernelCount& count) {
    const Estimate made = of(count);
    const auto cycles = [](double number) { return fmt::format("{:.2f}", number); };
    row(thousands(made.sass.instructions), cycles(made.sass.by_stalls),
        cycles(made.sass.by_latencies), cycles(made.sass.from_l2), cycles(made.fetch_cycles),
        made.kernel->registers,
        fmt::format("{}/{}", made.kernel->spill_stores, made.kernel->spill_loads), made.warps,
        fmt::format("{:.1f}", made.sass.hot_bytes / 1024),
        range(made.low.rate.instructions, made.high.rate.instructions, 2),
        range(made.low.bytes_per_second / 1e9, made.high.bytes_per_second / 1e9, 1));
    fmt::print("  {}, {}; {}\n", made.low.rate.bound, made.high.rate.bound, plain(count.kernel));
  });
  fmt::print("\n{:>20}  all kernels of\n", "ESTIMATE, G/s");
  for (const WorkRange& work : ranges_of(counts, of)) {
    fmt::print("{:>20}  {}\n", range(work.low / 1e9, work.high / 1e9, 1), work.work);
  }
}

void count(const KernelArguments& arguments) {
  ptx::KernelWork work;
  work.stages = arguments.stages;
  BenchArguments in = arguments;
  const auto chunks = [&](const char* precision, std::size_t count) {
    in.precision = precision;
    const bool left_out = arguments.precision != "both" && arguments.precision != precision;
    return left_out ? ptx::KernelWork::Chunks() : chunks_of(in, count);
  };
  work.searched_doubles = chunks("double", arguments.chunks);
  work.searched_singles = chunks("single", arguments.chunks);
  if (!arguments.search_alone) {
    work.coded_doubles = chunks("double", kCoded);
    work.coded_singles = chunks("single", kCoded);
  }
  const std::vector<ptx::KernelCount> counts = ptx::count_kernels(work);
  if (!arguments.output.json) print(arguments, counts);
  std::set<std::string> kernels;
  for (const auto& count : counts) kernels.insert(count.kernel);
  Json rows = Json::array(), cards = Json::array();
  for (const auto& count : counts) rows.push_back(json_of(count));
  for (const Card& card : kCards) {
    if (std::ranges::find(arguments.cards, card.name) == arguments.cards.end()) continue;
    const auto compiled = ptx::compiled_kernels(card.architecture, kernels);
    const auto of = [&](const ptx::KernelCount& count) {
      return estimate_of(card, count, compiled.at(count.kernel));
    };
    if (!arguments.output.json) print(card, counts, of);
    Json works = Json::array();
    for (const WorkRange& whole : ranges_of(counts, of)) {
      works.push_back({{"work", whole.work},
                       {"low_bytes_per_second", whole.low},
                       {"high_bytes_per_second", whole.high}});
    }
    cards.push_back(json_of(card));
    cards.back()["works"] = works;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      rows[i]["estimates"].push_back(json_of(card, of(counts[i])));
    }
  }
  if (!arguments.output.json) return;
  Json run = provenance(arguments);
  run["device"] = "interpreter of PTX";
  run["stages"] = "cuda";
  run["quick_cuda"] = bool(FPSYNTH_QUICK_CUDA);
  for (const char* none : {"threads", "repetitions"}) run.erase(none);
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
  command.add_option("--precision", arguments.precision, "Kernels for words of 8 or of 4 bytes")
      .one_of({"double", "single", "both"})
      .show_default();
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
  command.add_flag("--search-alone", arguments.search_alone, "No codecs and no baselines");
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
