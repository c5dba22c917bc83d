#include "runners/search/auto/effort.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "synth/common/raise.hpp"

namespace fpsynth::search {
namespace {

constexpr std::string_view kNames[] = {"quick", "normal", "thorough"};

/// All components of the registry without tables, in chunks of the greatest length.
synth::Space all_without_tables() {
  synth::Space space = synth::Space::paper();
  space.components = synth::registered_components();
  std::erase_if(space.components, has_tables);
  space.last = synth::reducers(space.components);
  space.chunk_words = synth::kLongestSearched;
  return space;
}

}  // namespace

bool has_tables(const synth::Component& component) {
  return synth::family(component.family).has_tables;
}

std::string_view to_string(Effort effort) { return kNames[static_cast<int>(effort)]; }

Effort parse_effort(std::string_view text) {
  for (const Effort effort : kEfforts) {
    if (text == to_string(effort)) return effort;
  }
  raise<UsageError>("effort '{}': give quick, normal or thorough", text);
}

EffortNumbers EffortNumbers::of(Effort effort) {
  EffortNumbers numbers;
  numbers.space = all_without_tables();
  numbers.with_tables = synth::registered_components();
  std::erase_if(numbers.with_tables, std::not_fn(has_tables));
  numbers.chunk_lengths = {std::begin(synth::kChunkLengths), std::end(synth::kChunkLengths)};
  std::erase_if(numbers.chunk_lengths, [](auto words) { return words > synth::kLongestSearched; });
  // Pipelines of three stages and what grows from them come as far as all of four, in a tenth of
  // the time.
  numbers.space = numbers.space.shorter();
  numbers.trying_stages = 2;
  numbers.blocks = 4;
  switch (effort) {
    case Effort::Quick:
      numbers.table_stages = 2;
      numbers.tables_left = 24;
      numbers.table_parents = 5;
      numbers.preludes = 32;
      numbers.cut_bits = 0.5;
      numbers.trying = {{2, 12}, {8, 4}};
      numbers.narrowing = {{8, 200}, {32, 8}};
      numbers.extensions = 2;
      numbers.parents = 50;
      numbers.candidates = 4;
      numbers.least_saving = 0.001;
      break;
    case Effort::Normal:
      numbers.table_stages = 3;
      numbers.tables_left = 200;
      numbers.table_parents = 30;
      numbers.preludes = 150;
      numbers.trying = {{2, 64}, {16, 24}, {32, 16}};
      numbers.narrowing = {{16, 4000}, {128, 32}};
      numbers.extensions = 5;
      numbers.parents = 1000;
      numbers.candidates = 8;
      numbers.least_saving = 0.001;
      break;
    case Effort::Thorough:
      numbers.table_stages = 3;
      numbers.tables_left = 600;
      numbers.table_parents = 100;
      numbers.preludes = 400;
      numbers.trying_stages = 3;
      numbers.trying = {{4, 128}, {16, 64}, {64, 32}};
      numbers.blocks = 16;
      numbers.narrowing = {{64, 8000}, {256, 64}};
      numbers.extensions = 8;
      numbers.parents = 2000;
      numbers.candidates = 24;
      numbers.race_stages = 4;
      numbers.race_blocks = 1024;
      numbers.race_preludes = 4;
      break;
  }
  return numbers;
}

double EffortNumbers::weight(const synth::Pipeline& pipeline) const {
  double stages = 0;
  for (const synth::Component& stage : pipeline.stages) stages += has_tables(stage) ? 5 : 1;
  return 1 + stages * least_saving;
}

std::vector<synth::Space> EffortNumbers::spaces(unsigned most_stages) const {
  std::vector<synth::Space> spaces = {space};
  while (spaces.front().stages > most_stages) spaces.front() = spaces.front().shorter();
  if (with_tables.empty() || table_stages == 0) return spaces;
  synth::Space tables = space;
  tables.last = with_tables;
  tables.stages = std::min(table_stages, most_stages);
  tables.cuts = {space.cuts.back() == 0 ? 0 : tables.stages};  // of bytes there are no others
  spaces.push_back(std::move(tables));
  return spaces;
}

std::vector<EffortNumbers> numbers_up_to(Effort largest, std::optional<std::size_t> chunk_words) {
  std::vector<EffortNumbers> all;
  for (const Effort effort : kEfforts) {
    if (effort > largest) break;
    EffortNumbers& numbers = all.emplace_back(EffortNumbers::of(effort));
    if (!chunk_words) continue;
    numbers.space.chunk_words = *chunk_words;
    numbers.space.validate();
    numbers.chunk_lengths = {*chunk_words};
  }
  return all;
}

}  // namespace fpsynth::search
