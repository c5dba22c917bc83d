#include "runners/search/choice/effort.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "synth/common/error.hpp"

namespace fpsynth::search {
namespace {

constexpr std::string_view kNames[] = {"quick", "normal", "thorough"};

/// All components of the registry, in chunks of the greatest length.
synth::Space all_components() {
  synth::Space space = synth::Space::paper();
  space.components = synth::registered_components();
  space.last = synth::reducers(space.components);
  space.chunk_words = std::ranges::max(synth::kChunkLengths);
  return space;
}

}  // namespace

std::string_view to_string(Effort effort) { return kNames[static_cast<int>(effort)]; }

Effort parse_effort(std::string_view text) {
  for (const Effort effort : kEfforts) {
    if (text == to_string(effort)) return effort;
  }
  throw UsageError(fmt::format("--effort '{}': give quick, normal or thorough", text));
}

EffortNumbers EffortNumbers::of(Effort effort) {
  EffortNumbers numbers;
  numbers.space = all_components();
  numbers.chunk_lengths = {std::begin(synth::kChunkLengths), std::end(synth::kChunkLengths)};
  switch (effort) {
    case Effort::Quick:
      numbers.space = numbers.space.shorter();
      numbers.preludes = 24;
      numbers.trying_stages = 2;
      numbers.trying = {{2, 8}, {6, 3}};
      numbers.blocks = 6;
      numbers.narrowing = {{16, 16}};
      numbers.candidates = 4;
      break;
    case Effort::Normal:
      numbers.preludes = 64;
      numbers.trying_stages = 3;
      numbers.trying = {{2, 24}, {8, 12}, {24, 6}};
      numbers.blocks = 4;
      numbers.narrowing = {{32, 100}, {128, 16}};
      numbers.extensions = 2;
      numbers.candidates = 8;
      break;
    case Effort::Thorough:
      numbers.preludes = 256;
      numbers.trying_stages = 3;
      numbers.trying = {{4, 64}, {16, 32}, {64, 12}};
      numbers.blocks = 8;
      numbers.narrowing = {{64, 200}, {256, 48}};
      numbers.extensions = 4;
      numbers.candidates = 24;
      numbers.race_blocks = 1024;
      break;
  }
  return numbers;
}

}  // namespace fpsynth::search
