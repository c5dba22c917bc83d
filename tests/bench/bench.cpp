// bench_parts [FILE] [Google Benchmark's options]: the cost of stages on blocks and of preludes on
// a whole input, beside a copy. Without FILE, a made set is the input.

#include <benchmark/benchmark.h>

#include <cstring>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/codec/codec.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/error.hpp"
#include "synth/space.hpp"

namespace fpsynth {
namespace {

using benchmark::State;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kBlock = 8 * synth::kChunkWords;

/// Runs work(block, operations) on eight blocks in turn, which stay in the cache.
struct Stage {
  struct Block {
    components::BlockBuffer in{kBlock}, out{2 * kBlock}, back{kBlock};
    components::Extent extent;
  };

  Stage(Bytes input, synth::Component component, std::size_t word_bytes)
      : ops(components::default_stages().at(component.family, word_bytes)),
        words(kBlock / word_bytes),
        parameter(component.parameter) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Block& block = blocks[i];
      std::memcpy(block.in.data(), &input[i * 7919 % (input.size() / kBlock) * kBlock], kBlock);
      encode(block);
      if (!decode(block) || std::memcmp(block.in.data(), block.back.data(), kBlock) != 0) {
        throw Error(synth::to_string(component) + " does not decode");
      }
    }
  }
  void encode(Block& block) {
    block.extent = ops.encode(block.in.data(), words, block.out.data(), parameter, scratch.view());
  }
  bool decode(Block& block) {
    return ops.decode(block.out.data(), block.extent, block.back.data(), words, parameter,
                      scratch.view());
  }
  void measure(Block& block) {
    block.extent = ops.measure(block.in.data(), words, parameter, scratch.view());
  }
  void copy(Block& block) { std::memcpy(block.back.data(), block.in.data(), kBlock); }

  const components::StageOps& ops;
  std::size_t words;
  unsigned parameter;
  components::ScratchBuffer scratch{2 * kBlock};
  std::vector<Block> blocks{8};
};

template <auto Work>
void register_stage(const char* name, Bytes input, synth::Component component,
                    std::size_t word_bytes) {
  const std::string text =
      synth::to_string(component) + "/" + std::to_string(word_bytes) + "/" + name;
  benchmark::RegisterBenchmark(text.c_str(), [=](State& state) {
    Stage stage(input, component, word_bytes);
    std::size_t turn = 0;
    for (auto _ : state) {
      (stage.*Work)(stage.blocks[turn++ % 8]);
      benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(std::int64_t(state.iterations() * kBlock));
  });
}

void register_prelude(Bytes input, const std::string& text, bool forward) {
  const auto run = [=, prelude = synth::parse_prelude(text)](State& state) {
    codec::CodecOptions options;
    options.threads = int(state.range(0));
    for (auto _ : state) {
      codec::Transformed done;
      const double there =
          timing::wall_seconds([&] { done = codec::transform(input, prelude, 8, options); });
      const std::vector<Bytes> side(done.side.begin(), done.side.end());
      const double back = timing::wall_seconds(
          [&] { codec::restore(done.bytes, prelude, 8, side, "the input", options); });
      if (std::memcmp(done.bytes.data(), input.data(), input.size()) != 0) {
        throw Error(text + " does not restore the input");
      }
      state.SetIterationTime(forward ? there : back);
    }
    state.SetBytesProcessed(std::int64_t(state.iterations() * input.size()));
  };
  benchmark::RegisterBenchmark((text + (forward ? "/forward" : "/backward")).c_str(), run)
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(2)
      ->UseManualTime();
}

void run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const data::Input input =
      argc > 1 ? data::open_input(argv[1], synth::ValueType{synth::Precision::Double})
               : data::make_input(data::synthetic_set("num_pinch"), std::size_t{4} << 20);
  const Bytes bytes = input.bytes();
  for (const synth::Component component : synth::registered_components()) {
    for (const std::size_t word_bytes : {8, 4, 1}) {
      register_stage<&Stage::copy>("copy", bytes, component, word_bytes);
      register_stage<&Stage::encode>("encode", bytes, component, word_bytes);
      register_stage<&Stage::decode>("decode", bytes, component, word_bytes);
      register_stage<&Stage::measure>("measure", bytes, component, word_bytes);
    }
  }
  for (const char* const text :
       {"none", "LAGs:1", "LAGs:5", "LAGs:2401", "LAGx:18200", "ORD", "DICT", "DEC:2", "SIG:6",
        "RAT:512:7:100", "DIM:3", "DIM:2401", "GCD:256", "LPC:2048", "MATCH", "REV:2",
        "LAGs:1 LAGs:2401", "DICT LAGs:2401"}) {
    for (const bool forward : {true, false}) register_prelude(bytes, text, forward);
  }
  benchmark::AddCustomContext("stages", std::string(components::default_stages().name()));
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace fpsynth

int main(int argc, char** argv) {
  try {
    fpsynth::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bench_parts: " << error.what() << "\n";
    return 1;
  }
}
