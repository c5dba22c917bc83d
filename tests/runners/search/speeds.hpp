#pragma once
// A made model of speed, and a space and data to predict with it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/throughput/throughput_model.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::tests {

/// Components that shrink, grow and keep blocks, in up to `stages` stages.
inline synth::Space space_of(unsigned stages) {
  synth::Space space = synth::Space::paper();
  space.stages = stages;
  space.cuts.resize(stages + 1);
  space.components.clear();
  for (const char* name : {"NUL", "BIT", "DIM2", "LNV1s", "RLE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  return space;
}

/// Costs that differ by component, word size and direction, some of them negative for short blocks.
inline results::CostModel model_of(std::size_t word_bytes) {
  results::CostModel model;
  model.chunk_bytes = static_cast<double>(synth::kChunkWords * word_bytes);
  double next = 1;
  for (const char* name : {"BIT", "DIM2", "LNV1s", "RLE", "ZE"}) {
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{word_bytes}}) {
      for (const results::Direction direction : results::kDirections) {
        next += 1;
        model.stages.push_back({*synth::parse_component(name), size, direction, 40 * next - 300,
                                0.01 * next, 7 * next, 0.003 * next, 0.02 * next, 3 * next});
      }
    }
  }
  model.codec = {{1, results::Direction::Compress, 50, 1.5, 0.1},
                 {1, results::Direction::Decompress, 20, 1.25, 0.2}};
  return model;
}

inline std::vector<std::byte> several(std::size_t word_bytes) {
  std::vector<std::byte> bytes;
  for (const testing::Content content : {testing::Content::Smooth, testing::Content::LongRuns,
                                         testing::Content::Sparse, testing::Content::Zeros}) {
    const auto block = testing::make_block(content, word_bytes, synth::kChunkWords);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  return bytes;
}

}  // namespace fpsynth::tests
