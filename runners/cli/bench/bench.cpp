// fpsynth bench: what the search costs on this machine, and the subcommands.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/cli/bench/bench_pipelines.hpp"
#include "runners/cli/commands.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/data/input.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/device/device.hpp"
#include "runners/search/walker.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/json.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {

using Json = nlohmann::ordered_json;

std::vector<double> times(int repetitions, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = -1; i < repetitions; ++i) {
    const double passed = timing::wall_seconds(work);
    if (i >= 0) seconds.push_back(passed);
  }
  return seconds;
}

std::string spread_text(const std::vector<double>& seconds) {
  const std::optional<double> spread = results::spread(seconds);
  return spread ? fmt::format("{:.1f}%", 100 * *spread) : "-";
}

std::vector<std::vector<std::byte>> chunks_of(const BenchArguments& arguments, std::size_t count) {
  const auto precision =
      arguments.precision == "double" ? synth::Precision::Double : synth::Precision::Single;
  const std::size_t chunk_bytes = synth::kChunkWords * synth::word_bytes(precision);
  std::vector<data::Input> inputs;
  for (const std::string& file : arguments.files) {
    inputs.push_back(data::open_input(file, arguments.type.reading()).in(precision));
  }
  if (inputs.empty()) {
    for (const data::SyntheticSet& set : data::synthetic_sets()) {
      inputs.push_back(data::make_input(set, data::kSyntheticBytes).in(precision));
    }
  }
  std::vector<std::vector<std::byte>> chunks;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = inputs[i % inputs.size()].view().bytes;
    const std::size_t whole = bytes.size() / chunk_bytes;
    if (whole == 0) {
      throw Error(fmt::format("{}: {} bytes are less than a chunk of {}; use a larger file",
                              inputs[i % inputs.size()].name(), bytes.size(), chunk_bytes));
    }
    if (arguments.first_chunk >= whole) {
      throw Error(fmt::format("{}: there is no chunk {}; its {} have the numbers from 0",
                              inputs[i % inputs.size()].name(), arguments.first_chunk,
                              counted(whole, "chunk")));
    }
    const std::size_t index = (arguments.first_chunk + i * 7919) % whole;
    const auto chunk = bytes.subspan(index * chunk_bytes, chunk_bytes);
    chunks.emplace_back(chunk.begin(), chunk.end());
  }
  return chunks;
}

Json provenance(const BenchArguments& arguments, std::size_t chunks, const std::string& device,
                const std::string& stages) {
  return {
      {"version", synth::kVersion},
      {"commit", synth::kCommit},
      {"compiler", synth::kCompiler},
      {"device", device},
      {"stages", stages},
      {"threads", 1},
      {"precision", arguments.precision},
      {"chunks", chunks},
      {"repetitions", arguments.repetitions},
      {"data", arguments.files.empty() ? std::vector<std::string>{"made sets"} : arguments.files}};
}

Json provenance_here(const BenchArguments& arguments) {
  return provenance(arguments, arguments.chunks, device::cpu_name(),
                    std::string(components::default_stages().name()));
}

namespace {

void bench_search(const BenchArguments& arguments) {
  if (arguments.backend == "cuda") return bench_search_on_gpu(arguments);
  const auto chunks = chunks_of(arguments, arguments.chunks);
  const std::size_t word_bytes = arguments.precision == "double" ? 8 : 4;
  const synth::Plan plan(synth::Space::paper());
  const synth::Space& space = plan.space();
  const auto& stages = components::default_stages();

  // Before anything is timed, both ways must give the same 138,240 sizes.
  std::vector<std::uint64_t> one_by_one(space.size());
  auto run_one_by_one = [&] {
    for (std::uint64_t id = 0; id < space.size(); ++id) {
      codec::ChunkCoder chain(space.at(id), word_bytes, synth::kChunkWords, stages);
      one_by_one[id] = 0;
      for (const auto& chunk : chunks) one_by_one[id] += chain.encode(chunk).block.size();
    }
  };
  std::unique_ptr<search::Walker> walker;
  auto shared = [&](search::Mode mode) {
    return [&, mode] {
      walker = std::make_unique<search::Walker>(plan, word_bytes, mode, stages);
      for (const auto& chunk : chunks) walker->walk(chunk);
    };
  };
  // The floor of a verified walk: every edge costs two copies and a comparison.
  components::BlockBuffer a(8192), b(8192), c(8192);
  std::memset(a.data(), 1, 8192);
  int differences = 0;
  auto copies = [&] {
    const std::size_t bytes = synth::kChunkWords * word_bytes;
    for (std::size_t edge = 0; edge < plan.edges() * chunks.size(); ++edge) {
      std::memcpy(b.data(), a.data(), bytes);
      std::memcpy(c.data(), b.data(), bytes);
      asm volatile("" ::: "memory");
      differences += std::memcmp(a.data(), c.data(), bytes) != 0;
    }
  };
  struct Row {
    const char* name;
    std::vector<double> seconds;
  };
  std::vector<Row> rows;
  rows.push_back({"one by one, nothing verified", times(arguments.repetitions, run_one_by_one)});
  rows.push_back(
      {"shared prefixes, counting", times(arguments.repetitions, shared(search::Mode::Count))});
  for (std::uint64_t id = 0; id < space.size(); ++id) {
    if (walker->block_bytes()[plan.leaf_of_id()[id]] != one_by_one[id]) {
      throw Error(fmt::format("'{}': shared and one-by-one sizes differ; nothing was timed",
                              synth::to_string(space.at(id))));
    }
  }
  rows.push_back(
      {"shared prefixes, verified", times(arguments.repetitions, shared(search::Mode::Verify))});
  rows.push_back(
      {"floor: every edge copied, copied back, compared", times(arguments.repetitions, copies)});
  if (differences) throw Error("copied blocks differ");

  const double bytes =
      double(space.size()) * double(chunks.size() * synth::kChunkWords * word_bytes);
  const double reference = bytes / results::median(rows[0].seconds);
  if (arguments.json) {
    Json json = {
        {"benchmark", "search"}, {"run", provenance_here(arguments)}, {"rows", Json::array()}};
    for (const Row& row : rows) {
      const double rate = bytes / results::median(row.seconds);
      json["rows"].push_back({{"name", row.name},
                              {"pipeline_bytes_per_second", rate},
                              {"ratio", rate / reference},
                              {"seconds", row.seconds}});
    }
    fmt::print("{}\n", json_text(json, 1));
    return;
  }
  fmt::print("{}, {}, one thread; {}, {} precision, median of {}\n\n", device::cpu_name(),
             stages.name(), counted(chunks.size(), "chunk"), arguments.precision,
             arguments.repetitions);
  fmt::print("{:<50} {:>20} {:>8} {:>10} {:>8}\n", "", "G pipeline-bytes/s", "ratio", "ms/chunk",
             "spread");
  for (const Row& row : rows) {
    const double middle = results::median(row.seconds), rate = bytes / middle;
    fmt::print("{:<50} {:>20.2f} {:>8.2f} {:>10.2f} {:>8}\n", row.name, rate / 1e9,
               rate / reference, 1e3 * middle / double(chunks.size()), spread_text(row.seconds));
  }
}

void add_common(Command command, const std::shared_ptr<BenchArguments>& arguments,
                void (*run)(const BenchArguments&)) {
  command.add_option("FILE", arguments->files,
                     "Data to take chunks from; the 13 synthetic sets if left out");
  add_type(command, arguments->type);
  add_reading(command, arguments->type);
  command
      .add_option("--precision", arguments->precision,
                  "What the values are converted to: double or single")
      .one_of({"double", "single"})
      .show_default();
  command.add_option("--chunks", arguments->chunks, "Chunks of 1024 words")
      .range(1, 1 << 20)
      .show_default();
  command.add_option("--repetitions", arguments->repetitions, "Timed repetitions, after a warm-up")
      .range(1, 1000)
      .show_default();
  command.add_flag("--json", arguments->json, "Raw figures with provenance, as JSON");
  command.callback([arguments, run] { run(*arguments); });
}

}  // namespace

void add_bench(Command app) {
  Command bench =
      app.add_subcommand("bench", "Measure the search, its stages and pipelines on this machine");
  bench.require_subcommand();
  bench.footer(
      "Examples:\n"
      "  fpsynth bench search\n"
      "  fpsynth bench search num_plasma.trace.fpc --precision single --json\n"
      "  fpsynth bench search --backend cuda --repetitions 5 --json\n"
      "  FPSYNTH_SIMD=avx2 fpsynth bench stages\n"
      "  fpsynth bench preludes num_plasma.trace.fpc\n"
      "  fpsynth bench pipelines \"LNV6s BIT LNV1s ZE\"\n"
      "  fpsynth bench strategies --runs results/runs/mini");
  Command search = bench.add_subcommand(
      "search", "All 138,240 pipelines: one by one, with shared prefixes, verified");
  const auto arguments = std::make_shared<BenchArguments>();
  add_common(search, arguments, bench_search);
  search.add_option("--backend", arguments->backend, "cpu: one core; cuda: GPUs")
      .one_of({"cpu", "cuda"})
      .show_default();
  search.add_option("--device", arguments->device, "GPUs to measure: all, or as in 0,2")
      .show_default();
  add_common(bench.add_subcommand(
                 "stages", "Every component at every word size on one block, beside a copy of it"),
             std::make_shared<BenchArguments>(), bench_stages);
  add_bench_preludes(bench);
  add_bench_pipelines(bench);
  add_bench_strategies(bench);
}

}  // namespace fpsynth::cli
