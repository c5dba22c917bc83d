// fpsynth bench preludes: the cost of preludes on this machine, beside a copy of the input.

#include <fmt/core.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "components/stage_table.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/cli/bench/bench.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/data/input.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BenchPreludesArguments {
  std::string file;
  TypeOption type;
  std::vector<std::string> preludes;
  std::vector<unsigned> threads = {1, 2};
  int repetitions = 5;
  TableOutput output;
};

/// One of every shape, and a grid's predictor.
constexpr const char* kDefault[] = {
    "LAGs:1",  "LAGs:5", "LAGs:2401",        "LAGx:18200",    "ORD",
    "DICT",    "DEC:2",  "RAT:512:7:100",    "DIM:3",         "DIM:2401",
    "GCD:256", "MATCH",  "LAGs:1 LAGs:2401", "DICT LAGs:2401"};

/// Seconds of every repetition.
struct Row {
  std::string name;
  int threads = 1;
  std::vector<double> copy, forward, backward;
  std::uint64_t side_bytes = 0;
};

/// Both directions in turn, with a copy between them, so that whatever else the machine does
/// concerns all three. The first repetition warms up.
Row measure(const std::string& text, std::span<const std::byte> input, std::size_t word_bytes,
            int threads, int repetitions) {
  const synth::Prelude prelude = synth::parse_prelude(text);
  codec::CodecOptions options;
  options.threads = threads;
  std::vector<std::byte> copy(input.size());
  Row row{text, threads, {}, {}, {}, 0};
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    const double copying =
        timing::wall_seconds([&] { codec::copy_in_parallel(copy.data(), input, threads); });
    codec::Transformed transformed;
    const double forward = timing::wall_seconds(
        [&] { transformed = codec::transform(input, prelude, word_bytes, options); });
    row.side_bytes = 0;
    std::vector<std::span<const std::byte>> side;
    for (const auto& data : transformed.side) {
      side.emplace_back(data);
      row.side_bytes += data.size();
    }
    const double backward = timing::wall_seconds([&] {
      codec::restore(transformed.bytes, prelude, word_bytes, side, "the input", options);
    });
    if (std::memcmp(transformed.bytes.data(), input.data(), input.size()) != 0) {
      throw Error(fmt::format("{} does not restore the input; nothing was timed", text));
    }
    if (repetition == 0) continue;
    row.copy.push_back(copying);
    row.forward.push_back(forward);
    row.backward.push_back(backward);
  }
  return row;
}

Json json_row(const Row& row, std::size_t bytes) {
  const double copy = results::median(row.copy);
  return {{"prelude", row.name},
          {"threads", row.threads},
          {"bytes", bytes},
          {"side_bytes", row.side_bytes},
          {"copy_seconds", row.copy},
          {"forward_seconds", row.forward},
          {"backward_seconds", row.backward},
          {"forward_copies", results::median(row.forward) / copy},
          {"backward_copies", results::median(row.backward) / copy}};
}

void bench_preludes(const BenchPreludesArguments& arguments) {
  const data::Input input = data::open_input(arguments.file, arguments.type.reading());
  const std::size_t word_bytes = synth::word_bytes(input.native());
  std::vector<std::string> preludes = arguments.preludes;
  if (preludes.empty()) preludes.assign(std::begin(kDefault), std::end(kDefault));
  for (const std::string& text : preludes) synth::check(synth::parse_prelude(text), word_bytes);
  results::Table table{
      .title = "Preludes in GB/s",
      .columns = {{"prelude"},
                  {"threads"},
                  {"copy_gb_per_s", "copy", 2},
                  {"forward_gb_per_s", "forward", 2},
                  {"forward_copies", "x", 1},
                  {"backward_gb_per_s", "backward", 2},
                  {"backward_copies", "x", 1},
                  {"side_bytes"}},
      .notes = {fmt::format("{}, {}; {}, {}, median of {}; x: as many copies of the input",
                            device::cpu_name(), components::default_stages().name(), input.name(),
                            counted(input.bytes().size(), "byte"), arguments.repetitions)}};
  const std::size_t bytes = input.bytes().size();
  Json rows = Json::array();
  for (const unsigned threads : arguments.threads) {
    for (const std::string& text : preludes) {
      const Row row = measure(text, input.bytes(), word_bytes, int(threads), arguments.repetitions);
      rows.push_back(json_row(row, bytes));
      const Json& copies = rows.back();
      table.add(row.name, row.threads, results::gb_per_s(row.copy, bytes),
                results::gb_per_s(row.forward, bytes), double(copies["forward_copies"]),
                results::gb_per_s(row.backward, bytes), double(copies["backward_copies"]),
                row.side_bytes);
    }
  }
  BenchArguments shared;
  shared.files = {arguments.file};
  shared.precision = synth::to_string(input.native());
  shared.repetitions = arguments.repetitions;
  shared.chunks = 0;
  put_benchmark("preludes", provenance(shared), rows, table, arguments.output);
}

}  // namespace

void add_bench_preludes(Command bench) {
  const auto arguments = std::make_shared<BenchPreludesArguments>();
  Command command =
      bench.add_subcommand("preludes", "Preludes on a whole input, both ways, beside a copy of it");
  command.add_option("FILE", arguments->file, "Data to map; all of it is held in memory")
      .required();
  add_type(command, arguments->type);
  add_reading(command, arguments->type);
  command
      .add_option("--prelude", arguments->preludes,
                  "A prelude, such as \"DICT LAGs:2401\"; may be given several times. Default: one "
                  "of every kind")
      .one_value_a_time();
  command.add_option("--threads", arguments->threads, "Numbers of threads; default: 1,2")
      .separated_by(',')
      .range(1u, 64u);
  add_repetitions(command, arguments->repetitions, arguments->output);
  command.footer(
      "Examples:\n"
      "  fpsynth bench preludes num_plasma.trace.fpc\n"
      "  fpsynth bench preludes field.f32 --prelude \"DEC:2 LAGs:360\" --threads 1,4 --json");
  command.callback([arguments] { bench_preludes(*arguments); });
}

}  // namespace fpsynth::cli
