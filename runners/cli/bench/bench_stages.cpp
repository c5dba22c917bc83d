// fpsynth bench stages: the cost of a stage on this machine, beside a copy of its block.

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "components/stage_table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/device/device.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The parts of a stage that are timed, and a copy, with which they are compared.
enum Work : std::size_t { Copy, Encode, Decode, Measure, kWorks };
constexpr const char* kNames[kWorks] = {"copy", "encode", "decode", "measure"};

/// Nanoseconds per block, of every repetition.
using Nanoseconds = std::array<std::vector<double>, kWorks>;

/// The work on one block after the other, on buffers that stay in the cache.
class StageBench {
 public:
  explicit StageBench(std::span<const std::vector<std::byte>> chunks)
      : chunks_(chunks),
        bytes_(chunks.front().size()),
        in_(bytes_),
        out_(2 * bytes_),
        back_(bytes_),
        scratch_(2 * bytes_) {}

  /// Times the component on words of `word_bytes` bytes, after a repetition that warms up. The copy
  /// is timed anew for each component, between its other times, so that whatever else the machine
  /// does concerns both.
  Nanoseconds run(synth::Component component, std::size_t word_bytes, int repetitions) {
    Nanoseconds result;
    for (int repetition = 0; repetition <= repetitions; ++repetition) {
      std::array<double, kWorks> sums{};
      for (const auto& chunk : chunks_) add(chunk, component, word_bytes, sums);
      if (repetition == 0) continue;
      for (std::size_t work = 0; work < kWorks; ++work) {
        result[work].push_back(sums[work] / double(chunks_.size()));
      }
    }
    return result;
  }

 private:
  template <class F>
  static double nanoseconds(F work) {
    constexpr int kLoops = 100;
    const auto start = Clock::now();
    for (int i = 0; i < kLoops; ++i) {
      work();
      asm volatile("" ::: "memory");
    }
    return seconds_since(start) * 1e9 / kLoops;
  }

  void add(std::span<const std::byte> chunk, synth::Component component, std::size_t word_bytes,
           std::array<double, kWorks>& sums) {
    const auto& ops = components::default_stages().at(component.family, word_bytes);
    const std::size_t words = bytes_ / word_bytes;
    const unsigned parameter = component.parameter;
    std::memcpy(in_.data(), chunk.data(), bytes_);
    components::Extent extent;
    bool good = true;
    sums[Copy] += nanoseconds([&] { std::memcpy(back_.data(), in_.data(), bytes_); });
    sums[Encode] += nanoseconds(
        [&] { extent = ops.encode(in_.data(), words, out_.data(), parameter, scratch_.view()); });
    sums[Decode] += nanoseconds([&] {
      good =
          ops.decode(out_.data(), extent, back_.data(), words, parameter, scratch_.view()) && good;
    });
    if (!good || std::memcmp(in_.data(), back_.data(), bytes_) != 0) {
      throw Error(
          fmt::format("{} does not decode; nothing was timed", synth::to_string(component)));
    }
    sums[Measure] +=
        nanoseconds([&] { extent = ops.measure(in_.data(), words, parameter, scratch_.view()); });
  }

  std::span<const std::vector<std::byte>> chunks_;
  std::size_t bytes_;
  components::BlockBuffer in_, out_, back_;
  components::ScratchBuffer scratch_;
};

void bench_stages(const BenchArguments& arguments) {
  const auto chunks = chunks_of(arguments, arguments.chunks);
  StageBench bench(chunks);
  results::Table table{
      .title = "Stages",
      .columns = {{"component"}, {"word_bytes", "bytes"}, {"copy_ns", "copy", 0}},
      .notes = {fmt::format("{}, {}, one thread; ns per block of {} bytes, mean over {}, median of "
                            "{}; x: as many copies of the block",
                            device::cpu_name(), components::default_stages().name(),
                            chunks.front().size(), counted(chunks.size(), "chunk"),
                            arguments.repetitions)}};
  for (const Work work : {Encode, Decode, Measure}) {
    table.columns.emplace_back(fmt::format("{}_ns", kNames[work]), kNames[work], 0);
    table.columns.emplace_back(fmt::format("{}_copies", kNames[work]), "x", 1);
  }
  Json rows = Json::array();
  for (const synth::Component component : synth::registered_components()) {
    for (const std::size_t word_bytes : {std::size_t{8}, std::size_t{4}, std::size_t{1}}) {
      const Nanoseconds ns = bench.run(component, word_bytes, arguments.repetitions);
      const double copy = results::median(ns[Copy]);
      Json& row = rows.emplace_back(
          Json{{"component", synth::to_string(component)}, {"word_bytes", word_bytes}});
      auto& cells =
          table.rows.emplace_back(results::cells(synth::to_string(component), word_bytes));
      for (std::size_t work = 0; work < kWorks; ++work) {
        const double middle = results::median(ns[work]);
        row[fmt::format("{}_ns", kNames[work])] = ns[work];
        cells.emplace_back(middle);
        if (work == Copy) continue;
        row[fmt::format("{}_copies", kNames[work])] = middle / copy;
        cells.emplace_back(middle / copy);
      }
    }
  }
  put_benchmark("stages", provenance(arguments), rows, table, arguments.output);
}

}  // namespace

void add_bench_stages(Command bench) {
  add_common(bench.add_subcommand(
                 "stages", "Every component at every word size on one block, beside a copy of it"),
             std::make_shared<BenchArguments>(), bench_stages);
}

}  // namespace fpsynth::cli
