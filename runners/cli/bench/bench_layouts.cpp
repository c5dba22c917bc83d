// fpsynth bench search --layouts: the walk on GPUs in every layout of a thread
// block's memory, of which a search takes the one with the most thread blocks.

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "components/stage_table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/device/device.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/search/gpu/walk_memory.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
using Json = nlohmann::ordered_json;

void bench_layouts(const BenchArguments& arguments) {
  const auto devices = device::parse_devices(arguments.device);
  const synth::Plan plan(synth::Space::paper());
  const std::size_t word_bytes = arguments.precision == "double" ? 8 : 4;
  const std::size_t chunk_bytes = plan.space().chunk_words * word_bytes;
  const auto lengths = plan.worst_case_bytes(word_bytes, plan.input_words());
  const search::WalkCallbacks callbacks{[] { return false; }, [](std::uint64_t) {}};
  results::Table table{.title = "Layouts of the walk on GPUs",
                       .columns = {{"search"},
                                   {"layout"},
                                   {"spilled_depths", "spilled depths"},
                                   {"room_bytes", "room, B"},
                                   {"thread_blocks", "thread blocks"},
                                   {"pipeline_gb_per_s", "G pipeline-bytes/s", 1},
                                   {"spread_percent", "spread %", 1}},
                       .notes = {{}}};
  Json rows = Json::array();
  std::string name;
  for (const search::Mode mode : {search::Mode::Count, search::Mode::Verify}) {
    const bool verify = mode == search::Mode::Verify;
    const std::string way = verify ? "verified" : "counting";
    const std::size_t at_once =
        search::cuda_engine(devices)(plan, word_bytes, mode)->first_segment();
    const auto chunks = chunks_of(arguments, std::max(arguments.chunks, at_once));
    const std::vector<std::span<const std::byte>> spans(chunks.begin(), chunks.end());
    std::vector<std::uint8_t> finished(spans.size());
    search::Totals cpu(plan);
    const auto check =
        search::cpu_engine(0, components::default_stages(), true)(plan, word_bytes, mode);
    check->walk(spans, finished, callbacks);
    check->add_to(cpu);
    const auto layouts = search::walk_layouts(lengths, chunk_bytes, verify);
    for (std::size_t index = 0; index < layouts.size(); ++index) {
      const auto* const entries = layouts[index].entries;
      const std::size_t depths = lengths.size() - 1;
      const std::uint32_t room = entries[depths - 1].room;
      const auto spilled = std::uint64_t(
          std::count_if(entries, entries + depths, [](const auto& block) { return !block.room; }));
      Json row = {{"name", way}, {"layout", index}, {"spilled_depths", spilled}, {"room", room}};
      try {
        const auto engine = search::cuda_engine(devices, index)(plan, word_bytes, mode);
        name = engine->device();
        std::uint64_t walks = 0;
        const auto seconds = times(arguments.repetitions, [&] {
          engine->walk(spans, finished, callbacks);
          ++walks;
        });
        search::Totals gpu(plan);
        engine->add_to(gpu);
        const std::string different = different_pipelines(gpu, cpu, walks, plan);
        if (!different.empty()) {
          row["different"] = different;
          table.notes.push_back(fmt::format("{}, layout {}: {}", way, index, different));
        }
        const double rate = double(plan.space().size()) * double(spans.size() * chunk_bytes) /
                            results::median(seconds);
        row["thread_blocks"] = engine->first_segment() / 2;
        row["pipeline_bytes_per_second"] = rate;
        row["seconds"] = seconds;
        table.add(way, index, spilled, room, engine->first_segment() / 2, rate / 1e9,
                  spread_percent(seconds));
      } catch (const device::DeviceUnsuitable& error) {
        row["why_not"] = error.what();
      }
      rows.push_back(row);
    }
  }
  table.notes.front() = fmt::format("{}; {} precision, median of {}", name, arguments.precision,
                                    arguments.repetitions);
  Json run = provenance(arguments);
  run["device"] = name;
  run["stages"] = "cuda";
  put_benchmark("search_layouts", run, rows, table, arguments.output);
  if (table.notes.size() == 1) return;
  throw Error(
      fmt::format("{}: {}", name, fmt::join(table.notes.begin() + 1, table.notes.end(), "; ")));
}

}  // namespace fpsynth::cli
