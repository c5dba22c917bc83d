// fpsynth bench: the subcommands, and what they share.

#include <fmt/core.h>

#include "components/stage_table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/cli/bench/bench_pipelines.hpp"
#include "runners/cli/commands.hpp"
#include "runners/data/input.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
std::vector<double> times(int repetitions, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = -1; i < repetitions; ++i) {
    const double passed = timing::wall_seconds(work);
    if (i >= 0) seconds.push_back(passed);
  }
  return seconds;
}

results::Cell spread_percent(const std::vector<double>& seconds) {
  return results::cell(results::spread(seconds), 100);
}

std::vector<std::vector<std::byte>> chunks_of(const BenchArguments& arguments, std::size_t count) {
  const synth::Precision precision = synth::precision_called(arguments.precision).value();
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
      raise("{}: {} bytes are less than a chunk of {}; use a larger file",
            inputs[i % inputs.size()].name(), bytes.size(), chunk_bytes);
    }
    if (arguments.first_chunk >= whole) {
      raise("{}: there is no chunk {}; its {} have the numbers from 0",
            inputs[i % inputs.size()].name(), arguments.first_chunk, counted(whole, "chunk"));
    }
    const std::size_t index = (arguments.first_chunk + i * 7919) % whole;
    const auto chunk = bytes.subspan(index * chunk_bytes, chunk_bytes);
    chunks.emplace_back(chunk.begin(), chunk.end());
  }
  return chunks;
}

nlohmann::ordered_json provenance(const BenchArguments& arguments) {
  return {
      {"version", synth::kVersion},
      {"commit", synth::kCommit},
      {"compiler", synth::kCompiler},
      {"device", device::cpu_name()},
      {"stages", components::default_stages().name()},
      {"threads", 1},
      {"precision", arguments.precision},
      {"chunks", arguments.chunks},
      {"repetitions", arguments.repetitions},
      {"data", arguments.files.empty() ? std::vector<std::string>{"made sets"} : arguments.files}};
}

Benchmark::Benchmark(std::string name, const nlohmann::ordered_json& run, TableOutput output)
    : name_(std::move(name)), output_(output) {
  if (!output_.json) return;
  write_output_text(fmt::format("{{\n \"benchmark\": {},\n \"run\": {},\n \"rows\": [",
                                json_text(name_), json_text(run)));
}

void Benchmark::add(const nlohmann::ordered_json& row) {
  if (!output_.json) return;
  write_output_text(fmt::format("{}\n  {}", rows_++ ? "," : "", json_text(row)));
}

void Benchmark::end(const results::Table& table) {
  if (!output_.json) return put_tables({table}, output_, "bench " + name_);
  write_output_text("\n ]\n}\n");
}

void add_bench(Command app) {
  Command bench = app.add_subcommand("bench", "Measure the search and pipelines on this machine");
  bench.require_subcommand();
  bench.footer(
      "Examples:\n"
      "  fpsynth bench search\n"
      "  fpsynth bench search num_plasma.trace.fpc --precision single --json\n"
      "  fpsynth bench search --backend cuda --repetitions 5 --json\n"
      "  fpsynth bench pipelines \"LNV6s BIT LNV1s ZE\"");
  add_bench_search(bench);
  add_bench_pipelines(bench);
}

}  // namespace fpsynth::cli
