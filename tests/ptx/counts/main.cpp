// count_kernels: what the kernels of GPUs do, counted in their PTX, without a GPU.

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "runners/cli/arguments.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/cli/commands.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"
#include "tests/ptx/counts/kernel_counts.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The GPU for which bounds are computed.
struct H100 {
  static constexpr const char* kArchitecture = "sm_90";
  static constexpr double kMultiprocessors = 132, kIssues = 4, kHertz = 1.7e9;
  /// Of a multiprocessor.
  static constexpr std::size_t kShared = std::size_t{228} << 10, kSharedOfSystem = 1 << 10;
  static constexpr unsigned kRegisters = 65536, kLanes = 2048, kBlocks = 32;
};

struct KernelArguments : BenchArguments {
  KernelArguments() { chunks = 1; }
  unsigned stages = 4;
  bool ptxas = false;
};

using Resources = std::map<std::string, ptx::KernelResources>;

/// Thread blocks that a multiprocessor holds: by shared memory and lanes, and by registers if they
/// are known.
unsigned blocks_of(const ptx::KernelCount& count, const ptx::KernelResources* resources) {
  unsigned blocks = std::min(H100::kBlocks, H100::kLanes / count.lanes);
  blocks = std::min(
      blocks, static_cast<unsigned>(H100::kShared / (count.shared_bytes + H100::kSharedOfSystem)));
  if (!resources) return blocks;
  const unsigned registers = (std::max(resources->registers, 1u) + 7) / 8 * 8;
  return std::min(blocks, H100::kRegisters / (registers * count.lanes));
}

/// Bytes per second if every cycle issued as many instructions as it can.
double upper_bound(const ptx::KernelCount& count) {
  return count.bytes * H100::kMultiprocessors * H100::kIssues * H100::kHertz /
         double(std::max<std::uint64_t>(count.instructions, 1));
}

/// "EncodeKernel<InterpretedProgram<unsigned long> >": the name without namespaces.
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

Json json_of(const ptx::KernelCount& count, const ptx::KernelResources* resources) {
  Json row{{"work", count.work},
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
           {"blocks_per_multiprocessor_by_shared_memory", blocks_of(count, nullptr)},
           {"upper_bound_bytes_per_second", upper_bound(count)}};
  if (resources) {
    row["registers"] = resources->registers;
    row["spill_store_bytes"] = resources->spill_stores;
    row["spill_load_bytes"] = resources->spill_loads;
    row["blocks_per_multiprocessor"] = blocks_of(count, resources);
  }
  return row;
}

void print(const ptx::KernelCount& count, const ptx::KernelResources* resources) {
  const auto thousands = [](std::uint64_t sum) { return fmt::format("{:.1f}", double(sum) / 1e3); };
  fmt::print(
      "{:>12} {:>12} {:>12} {:>10} {:>9} {:>12} {:>6} {:>12.1f}  {}\n",
      thousands(count.instructions), thousands(count.wavefronts), thousands(count.ideal_wavefronts),
      thousands(count.barriers), resources ? std::to_string(resources->registers) : "?",
      resources ? fmt::format("{}/{}", resources->spill_stores, resources->spill_loads) : "?",
      fmt::format("{}{}", resources ? "" : "<=", blocks_of(count, resources)),
      upper_bound(count) / 1e9, plain(count.kernel));
}

void count(const KernelArguments& arguments) {
  // Baselines and codecs get some more, so that what a launch costs does not decide.
  constexpr std::size_t kCoded = 64;
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
  const Resources resources =
      arguments.ptxas ? ptx::kernel_resources(H100::kArchitecture) : Resources();
  const auto resources_of = [&](const ptx::KernelCount& count) {
    const auto found = resources.find(count.kernel);
    return found == resources.end() ? nullptr : &found->second;
  };
  if (arguments.output.json) {
    Json rows = Json::array();
    for (const auto& count : counts) rows.push_back(json_of(count, resources_of(count)));
    Json run = provenance(arguments);
    run["device"] = "interpreter of PTX";
    run["stages"] = "cuda";
    for (const char* none : {"threads", "precision", "repetitions"}) run.erase(none);
    run["first_chunk"] = arguments.first_chunk;
    run["stages_of_pipelines"] = arguments.stages;
    run["bound_for"] = {{"device", "H100"},
                        {"architecture", H100::kArchitecture},
                        {"multiprocessors", H100::kMultiprocessors},
                        {"issues_per_cycle", H100::kIssues},
                        {"hertz", H100::kHertz}};
    fmt::print("{}\n", json_text(Json{{"benchmark", "kernels"}, {"run", run}, {"rows", rows}}, 1));
    return;
  }
  fmt::print(
      "Counts of PTX, not times: {} searched, in pipelines of {}; {} through the codecs.\n"
      "The last number is an upper bound and nothing else: what {} multiprocessors (H100) would do "
      "if each\nissued {} instructions in every cycle at {} GHz, in G pipeline-bytes/s of a "
      "search, "
      "else in GB/s of original.\n",
      counted(arguments.chunks, "chunk"), counted(arguments.stages, "stage"),
      counted(kCoded, "chunk"), H100::kMultiprocessors, H100::kIssues, H100::kHertz / 1e9);
  if (!arguments.ptxas) {
    fmt::print("Registers and spills are what ptxas decides: --ptxas asks it.\n");
  }
  fmt::print("\n{:>12} {:>12} {:>12} {:>10} {:>9} {:>12} {:>6} {:>12}  {}\n", "k warp", "k shared",
             "k without", "k warps at", "", "spilled and", "blocks", "upper bound", "");
  fmt::print("{:>12} {:>12} {:>12} {:>10} {:>9} {:>12} {:>6} {:>12}  {}\n", "instructions",
             "wavefronts", "conflicts", "barriers", "registers", "filled bytes", "per MP", "G/s",
             "kernel");
  std::string title;
  for (const auto& count : counts) {
    if (count.work != title) fmt::print("{}\n", title = count.work);
    print(count, resources_of(count));
  }
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
  command.add_flag("--ptxas", arguments.ptxas,
                   "Compile the kernels with the CUDA Toolkit's ptxas for their registers and "
                   "spills, which takes minutes");
  command.add_flag("--json", arguments.output.json, "Raw figures with provenance, as JSON");
  command.footer(
      "Examples:\n"
      "  count_kernels --stages 3\n"
      "  count_kernels num_plasma.trace.fpc --chunk 1000 --ptxas --json");
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
