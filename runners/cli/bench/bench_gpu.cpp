// fpsynth bench search --backend cuda.

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/device/device.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/search/walker.hpp"
#include "synth/common/json.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The least number of bytes that a walk of one chunk moves through shared memory. A verified edge
/// reads and writes the block to encode it, to fill the decoded block with its complement and to
/// decode, and reads it twice to compare. A counted edge reads and writes the block; if it is the
/// last, it only reads. (Blocks are assumed to keep the chunk's length; only ZE and RLE change it.)
double floor_bytes(const synth::Plan& plan, search::Mode mode, std::size_t chunk_bytes) {
  const double nodes = double(plan.nodes().size() - 1), leaves = double(plan.leaves().size());
  return double(chunk_bytes) *
         (mode == search::Mode::Verify ? 8 * (nodes + leaves) : 2 * nodes + leaves);
}

struct Row {
  const char* name;
  std::size_t chunks;
  double shared_bytes;  ///< floor_bytes() of all its chunks
  std::vector<double> seconds;
};

}  // namespace

void bench_search_on_gpu(const BenchArguments& arguments) {
  const auto devices = device::parse_devices(arguments.device);
  const synth::Plan plan(synth::Space::paper());
  const std::size_t word_bytes = arguments.precision == "double" ? 8 : 4;
  const std::size_t chunk_bytes = synth::kChunkWords * word_bytes;
  std::vector<Row> rows;
  std::string name;
  double roofline = 0;
  for (const device::DeviceInfo& info : devices) roofline += info.shared_bytes_per_second;
  for (const search::Mode mode : {search::Mode::Count, search::Mode::Verify}) {
    const auto engine = search::cuda_engine(devices)(plan, word_bytes, mode);
    name = engine->device();
    // Every thread block walks many chunks, so that blocks that end early wait little.
    const auto chunks = chunks_of(arguments, std::max(arguments.chunks, engine->first_segment()));
    const std::vector<std::span<const std::byte>> spans(chunks.begin(), chunks.end());
    std::vector<std::uint8_t> finished(spans.size());
    const search::WalkCallbacks callbacks{[] { return false; }, [](std::uint64_t) {}};
    int walks = 0;
    const auto seconds = times(arguments.repetitions, [&] {
      engine->walk(spans, finished, callbacks);
      ++walks;
    });
    // The sizes must be those that the CPU finds.
    search::Totals gpu(plan), cpu(plan);
    engine->add_to(gpu);
    const auto check =
        search::cpu_engine(0, components::default_stages(), true)(plan, word_bytes, mode);
    check->walk(spans, finished, callbacks);
    check->add_to(cpu);
    for (std::size_t leaf = 0; leaf < plan.leaves().size(); ++leaf) {
      if (gpu.block_bytes[leaf] != std::uint64_t(walks) * cpu.block_bytes[leaf]) {
        throw Error(
            fmt::format("{}: sizes differ from the CPU's; the times are not reported", name));
      }
    }
    rows.push_back(
        {mode == search::Mode::Verify ? "shared prefixes, verified" : "shared prefixes, counting",
         spans.size(), double(spans.size()) * floor_bytes(plan, mode, chunk_bytes), seconds});
  }

  Json json_rows = Json::array();
  if (!arguments.json) {
    fmt::print("{}; {} precision, median of {}; shared memory {:.1f} TB/s\n\n", name,
               arguments.precision, arguments.repetitions, roofline / 1e12);
    fmt::print("{:<30} {:>8} {:>20} {:>8} {:>16}\n", "", "chunks", "G pipeline-bytes/s", "spread",
               "of the roofline");
  }
  for (const Row& row : rows) {
    const double middle = results::median(row.seconds);
    const double bytes = double(plan.space().size()) * double(row.chunks * chunk_bytes);
    const double of_roofline = row.shared_bytes / middle / roofline;
    json_rows.push_back({{"name", row.name},
                         {"chunks", row.chunks},
                         {"pipeline_bytes_per_second", bytes / middle},
                         {"shared_memory_floor_bytes", row.shared_bytes},
                         {"of_roofline", of_roofline},
                         {"seconds", row.seconds}});
    if (!arguments.json) {
      fmt::print("{:<30} {:>8} {:>20.1f} {:>8} {:>15.1f}%\n", row.name, row.chunks,
                 bytes / middle / 1e9, spread_text(row.seconds), 100 * of_roofline);
    }
  }
  if (arguments.json) {
    Json run = provenance(arguments, rows.front().chunks, name, "cuda");
    run["shared_memory_bytes_per_second"] = roofline;
    fmt::print("{}\n",
               json_text(Json{{"benchmark", "search"}, {"run", run}, {"rows", json_rows}}, 1));
  }
}

}  // namespace fpsynth::cli
