// fpsynth bench search: the cost of the search on one core of this machine, or on its GPUs.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "components/stage_table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/device/device.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/search/gpu/walk_memory.hpp"
#include "runners/search/walker.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCounting = "shared prefixes, counting";
constexpr const char* kVerified = "shared prefixes, verified";

std::size_t word_bytes_of(const BenchArguments& arguments) {
  return synth::word_bytes(synth::precision_called(arguments.precision).value());
}

/// The bytes that all pipelines together encode of so many chunks.
double pipeline_bytes(const synth::Plan& plan, std::size_t chunks, std::size_t word_bytes) {
  return double(plan.space().size()) * double(chunks * synth::kChunkWords * word_bytes);
}

/// The first pipelines whose sizes or failed decodings are not `walks` times the CPU's, and how
/// many they are; empty if none.
std::string different_pipelines(const search::Totals& totals, const search::Totals& cpu,
                                std::uint64_t walks, const synth::Plan& plan) {
  const auto differ = [&](const auto& sums, const auto& of_cpu, std::size_t i) {
    return sums[i] != walks * of_cpu[i];
  };
  std::vector<bool> leaves(plan.leaves().size()), path(plan.space().stages + 1);
  for (std::size_t n = 0; n < plan.nodes().size(); ++n) {
    const synth::PlanNode& node = plan.nodes()[n];
    path[node.depth] = (node.depth > 0 && path[node.depth - 1u]) ||
                       differ(totals.failed_nodes, cpu.failed_nodes, n);
    for (std::size_t leaf = node.leaves; leaf < node.leaves + node.leaf_count; ++leaf) {
      leaves[leaf] = path[node.depth] || differ(totals.block_bytes, cpu.block_bytes, leaf) ||
                     differ(totals.failed_leaves, cpu.failed_leaves, leaf);
    }
  }
  constexpr std::uint64_t kNamed = 3;
  std::uint64_t count = 0;
  std::string named;
  for (std::uint64_t id = 0; id < plan.leaf_of_id().size(); ++id) {
    if (!leaves[plan.leaf_of_id()[id]]) continue;
    if (++count <= kNamed) named += fmt::format(", '{}'", synth::to_string(plan.space().at(id)));
  }
  if (count == 0) return {};
  return fmt::format("sizes or failed decodings of {} are not the CPU's: {}{}",
                     counted(count, "pipeline"), named.substr(2), count > kNamed ? ", ..." : "");
}

void bench_on_cpu(const BenchArguments& arguments) {
  const auto chunks = chunks_of(arguments, arguments.chunks);
  const std::size_t word_bytes = word_bytes_of(arguments);
  const synth::Plan plan(synth::Space::paper());
  const synth::Space& space = plan.space();
  const auto& stages = components::default_stages();

  // Both ways must give the same 138,240 sizes.
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

  results::Table table{
      .title = "Search on one thread",
      .columns = {{"search"},
                  {"pipeline_gb_per_s", "G pipeline-bytes/s", 2},
                  {"ratio", 2},
                  {"ms_per_chunk", "ms/chunk", 2},
                  {"spread_percent", "spread %", 1}},
      .notes = {fmt::format("{}, {}; {}, {} precision, median of {}", device::cpu_name(),
                            stages.name(), counted(chunks.size(), "chunk"), arguments.precision,
                            arguments.repetitions)}};
  Benchmark benchmark("search", provenance(arguments), arguments.output);
  const double bytes = pipeline_bytes(plan, chunks.size(), word_bytes);
  double reference = 0;
  const auto add = [&](const std::string& name, const std::function<void()>& work) {
    const std::vector<double> seconds = times(arguments.repetitions, work);
    const double middle = results::median(seconds), rate = bytes / middle;
    if (table.rows.empty()) reference = rate;
    benchmark.add({{"name", name},
                   {"pipeline_bytes_per_second", rate},
                   {"ratio", rate / reference},
                   {"seconds", seconds}});
    table.add(name, rate / 1e9, rate / reference, 1e3 * middle / double(chunks.size()),
              spread_percent(seconds));
  };
  const auto totals = [&] {
    search::Totals sums(plan);
    sums.add(walker->block_bytes(), walker->failed_nodes(), walker->failed_leaves());
    return sums;
  };
  add("one by one, nothing verified", run_one_by_one);
  add(kCounting, shared(search::Mode::Count));
  for (std::uint64_t id = 0; id < space.size(); ++id) {
    if (walker->block_bytes()[plan.leaf_of_id()[id]] != one_by_one[id]) {
      raise("'{}': shared and one-by-one sizes differ", synth::to_string(space.at(id)));
    }
  }
  const search::Totals counted_sizes = totals();
  add(kVerified, shared(search::Mode::Verify));
  const std::string different = different_pipelines(totals(), counted_sizes, 1, plan);
  add("floor: every edge copied, copied back, compared", copies);
  if (differences) throw Error("copied blocks differ");
  benchmark.end(table);
  if (!different.empty()) raise("{}: {}", kVerified, different);
}

/// Walks of the same chunks by engines, timed and held against the CPU's.
class WalkBench {
 public:
  struct Walks {
    std::vector<double> seconds;
    double pipeline_bytes_per_second = 0;
    std::string different;  ///< see different_pipelines()
  };

  /// Of as many chunks as the arguments say, but at least `least`.
  WalkBench(const BenchArguments& arguments, const synth::Plan& plan, search::Mode mode,
            std::size_t least)
      : repetitions_(arguments.repetitions),
        plan_(plan),
        chunks_(chunks_of(arguments, std::max(arguments.chunks, least))),
        spans_(chunks_.begin(), chunks_.end()),
        reference_(arguments.reference ? std::min(arguments.reference, chunks()) : chunks()),
        bytes_(pipeline_bytes(plan, chunks(), word_bytes_of(arguments))),
        cpu_(plan) {
    const auto engine = search::cpu_engine(0, components::default_stages(), true)(
        plan, word_bytes_of(arguments), mode);
    walk(*engine, reference_);
    engine->add_to(cpu_);
  }

  std::size_t chunks() const { return spans_.size(); }
  /// The number of chunks on which the CPU's totals are known.
  std::size_t reference() const { return reference_; }

  /// Where the CPU has walked fewer chunks, the engine walks these first, by themselves. Of the
  /// others, only failed decodings are found.
  Walks of(search::Engine& engine) const {
    const auto totals = [&] {
      search::Totals sums(plan_);
      engine.add_to(sums);
      return sums;
    };
    std::string different;
    if (reference_ < chunks()) {
      walk(engine, reference_);
      different = different_pipelines(totals(), cpu_, 1, plan_);
    }
    std::uint64_t walks = 0;
    const auto seconds = times(repetitions_, [&] {
      walk(engine, chunks());
      ++walks;
    });
    const search::Totals all = totals();
    if (reference_ == chunks()) {
      different = different_pipelines(all, cpu_, walks, plan_);
    } else if (different.empty()) {
      search::Totals without_failures(plan_);
      without_failures.block_bytes = all.block_bytes;
      different = different_pipelines(all, without_failures, 1, plan_);
    }
    return {seconds, bytes_ / results::median(seconds), different};
  }

 private:
  void walk(search::Engine& engine, std::size_t count) const {
    std::vector<std::uint8_t> finished(count);
    engine.walk(std::span(spans_).first(count), finished,
                {[] { return false; }, [](std::uint64_t) {}});
  }

  int repetitions_;
  const synth::Plan& plan_;
  std::vector<std::vector<std::byte>> chunks_;
  std::vector<std::span<const std::byte>> spans_;
  std::size_t reference_;
  double bytes_;
  search::Totals cpu_;
};

/// A benchmark of GPUs: rows, and a table after whose first note stand the pipelines that differ
/// from the CPU's.
struct GpuBenchmark {
  std::string name;
  const BenchArguments& arguments;
  Json more;
  results::Table table;
  std::string gpus = {};
  std::optional<Benchmark> benchmark = {};

  /// To be called before the first row is added.
  void begin(const search::Engine& engine, const WalkBench& bench) {
    if (benchmark) return;
    gpus = engine.device();
    table.notes = {fmt::format("{}; {} precision, median of {}; compared with the CPU on {}", gpus,
                               arguments.precision, arguments.repetitions,
                               counted(bench.reference(), "chunk"))};
    Json run = provenance(arguments);
    run["device"] = gpus;
    run["stages"] = "cuda";
    run["chunks"] = bench.chunks();
    run["reference_chunks"] = bench.reference();
    if (arguments.shared_percent) run["shared_percent"] = *arguments.shared_percent;
    run.update(more);
    benchmark.emplace(name, run, arguments.output);
  }
  void add(Json row, const std::string& what, const std::string& different) {
    if (!different.empty()) {
      row["different"] = different;
      table.notes.push_back(what + ": " + different);
    }
    benchmark->add(row);
  }
  /// Throws Error if any pipelines differ.
  void end() {
    benchmark->end(table);
    if (table.notes.size() == 1) return;
    raise("{}: {}", gpus, fmt::join(table.notes.begin() + 1, table.notes.end(), "; "));
  }
};

/// The walk on GPUs in every layout of a thread block's memory, of which a search takes the one
/// with the most thread blocks.
void bench_layouts(const BenchArguments& arguments) {
  const auto devices = device::parse_devices(arguments.device);
  const synth::Plan plan(synth::Space::paper());
  const std::size_t word_bytes = word_bytes_of(arguments);
  const auto lengths = plan.worst_case_bytes(word_bytes, plan.input_words());
  const std::size_t depths = lengths.size() - 1;
  GpuBenchmark benchmark{"search_layouts",
                         arguments,
                         Json::object(),
                         {.title = "Layouts of the walk on GPUs",
                          .columns = {{"search"},
                                      {"layout"},
                                      {"spilled_depths", "spilled depths"},
                                      {"room_bytes", "room, B"},
                                      {"thread_blocks", "thread blocks"},
                                      {"pipeline_gb_per_s", "G pipeline-bytes/s", 1},
                                      {"spread_percent", "spread %", 1}}}};
  for (const search::Mode mode : {search::Mode::Count, search::Mode::Verify}) {
    const bool verify = mode == search::Mode::Verify;
    const std::string way = verify ? "verified" : "counting";
    auto engine =
        search::cuda_engine(devices, {}, arguments.shared_percent)(plan, word_bytes, mode);
    const WalkBench bench(arguments, plan, mode, engine->first_segment());
    benchmark.begin(*engine, bench);
    const auto layouts = search::walk_layouts(lengths, synth::kChunkWords * word_bytes, verify);
    for (std::size_t index = 0; index < layouts.size(); ++index) {
      const std::span entries(layouts[index].entries, depths);
      const std::uint32_t room = entries.back().room;
      const auto spilled =
          std::ranges::count_if(entries, [](const auto& block) { return block.room == 0; });
      Json row{{"name", way},
               {"layout", index},
               {"chunks", bench.chunks()},
               {"spilled_depths", spilled},
               {"room", room}};
      std::string differs;
      try {
        engine.reset();  // two at once would share the device's memory
        engine =
            search::cuda_engine(devices, index, arguments.shared_percent)(plan, word_bytes, mode);
        const auto [seconds, rate, different] = bench.of(*engine);
        differs = different;
        row["thread_blocks"] = engine->first_segment() / 2;
        row["pipeline_bytes_per_second"] = rate;
        row["seconds"] = seconds;
        benchmark.table.add(way, index, spilled, room, engine->first_segment() / 2, rate / 1e9,
                            spread_percent(seconds));
      } catch (const device::DeviceUnsuitable& error) {
        row["why_not"] = error.what();
      }
      benchmark.add(row, fmt::format("{}, layout {}", way, index), differs);
    }
  }
  benchmark.end();
}

/// The least number of bytes that a walk of one chunk moves through shared memory. A verified edge
/// reads and writes the block to encode it, to fill the decoded block with its complement and to
/// decode, and reads it twice to compare. A counted edge reads and writes the block; if it is the
/// last, it only reads. (Blocks are assumed to keep the chunk's length; only ZE and RLE change it.)
double floor_bytes(const synth::Plan& plan, search::Mode mode, std::size_t chunk_bytes) {
  const double nodes = double(plan.nodes().size() - 1), leaves = double(plan.leaves().size());
  return double(chunk_bytes) *
         (mode == search::Mode::Verify ? 8 * (nodes + leaves) : 2 * nodes + leaves);
}

void bench_on_gpus(const BenchArguments& arguments) {
  const auto devices = device::parse_devices(arguments.device);
  double roofline = 0;
  for (const device::DeviceInfo& info : devices) roofline += info.shared_bytes_per_second;
  bench_engine(search::cuda_engine(devices, {}, arguments.shared_percent),
               synth::Plan(synth::Space::paper()), roofline, arguments);
}

}  // namespace

void bench_engine(const search::EngineFactory& make, const synth::Plan& plan, double roofline,
                  const BenchArguments& arguments) {
  const std::size_t word_bytes = word_bytes_of(arguments);
  GpuBenchmark benchmark{"search",
                         arguments,
                         {{"shared_memory_bytes_per_second", roofline}},
                         {.title = "Search on GPUs",
                          .columns = {{"search"},
                                      {"chunks"},
                                      {"pipeline_gb_per_s", "G pipeline-bytes/s", 1},
                                      {"spread_percent", "spread %", 1},
                                      {"of_roofline_percent", "of the roofline %", 1}}}};
  for (const search::Mode mode : {search::Mode::Count, search::Mode::Verify}) {
    const auto engine = make(plan, word_bytes, mode);
    // Every thread block walks many chunks, so that blocks that end early wait little.
    const WalkBench bench(arguments, plan, mode, engine->first_segment());
    benchmark.begin(*engine, bench);
    const auto [seconds, rate, different] = bench.of(*engine);
    const std::string way = mode == search::Mode::Verify ? kVerified : kCounting;
    const double shared_bytes =
        double(bench.chunks()) * floor_bytes(plan, mode, synth::kChunkWords * word_bytes);
    const double of_roofline = shared_bytes / results::median(seconds) / roofline;
    benchmark.table.add(way, bench.chunks(), rate / 1e9, spread_percent(seconds),
                        100 * of_roofline);
    benchmark.add({{"name", way},
                   {"chunks", bench.chunks()},
                   {"pipeline_bytes_per_second", rate},
                   {"shared_memory_floor_bytes", shared_bytes},
                   {"of_roofline", of_roofline},
                   {"seconds", seconds}},
                  way, different);
  }
  benchmark.table.notes.front() += fmt::format("; shared memory {:.1f} TB/s", roofline / 1e12);
  benchmark.end();
}

void add_bench_search(Command bench) {
  Command search = bench.add_subcommand(
      "search", "All 138,240 pipelines: one by one, with shared prefixes, verified");
  const auto arguments = std::make_shared<BenchArguments>();
  search.add_option("FILE", arguments->files,
                    "Data to take chunks from; the 13 synthetic sets if left out");
  add_type(search, arguments->type);
  add_reading(search, arguments->type);
  search
      .add_option("--precision", arguments->precision,
                  "What the values are converted to: double or single; half and byte: their bytes "
                  "are such words")
      .one_of({"double", "single", "half", "byte"})
      .show_default();
  search.add_option("--chunks", arguments->chunks, "Chunks of 1024 words")
      .range(1, 1 << 20)
      .show_default();
  search.add_option("--repetitions", arguments->repetitions, "Timed repetitions, after a warm-up")
      .range(1, 1000)
      .show_default();
  Option json =
      search.add_flag("--json", arguments->output.json, "Raw figures with provenance, as JSON");
  add_csv(search, arguments->output, json);
  search.callback([from = arguments] {
    if (from->backend == "cuda") return from->layouts ? bench_layouts(*from) : bench_on_gpus(*from);
    if (from->layouts) throw UsageError("--layouts: they are of GPUs; add --backend cuda");
    if (from->reference) throw UsageError("--reference: it is of GPUs; add --backend cuda");
    if (from->shared_percent)
      throw UsageError("--shared-percent: it is of GPUs; add --backend cuda");
    bench_on_cpu(*from);
  });
  search.add_option("--backend", arguments->backend, "cpu: one core; cuda: GPUs")
      .one_of({"cpu", "cuda"})
      .show_default();
  search.add_option("--device", arguments->device, "GPUs to measure: all, or as in 0,2")
      .show_default();
  search.add_flag("--layouts", arguments->layouts,
                  "On GPUs, every layout of the memory of a thread block, not only the best");
  search
      .add_option(
          "--reference", arguments->reference,
          "On GPUs, the number of chunks that the processor walks too, to compare with; all "
          "if left out")
      .value_name("N")
      .range(1, 1 << 20);
  search
      .add_option(
          "--shared-percent", arguments->shared_percent,
          "On GPUs, the part of a multiprocessor's memory to ask for as shared memory; left "
          "out, as a search does")
      .range(0u, 100u);
}

}  // namespace fpsynth::cli
