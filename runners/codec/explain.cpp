#include "runners/codec/explain.hpp"

#include <algorithm>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/format/layout.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::codec {
namespace {

using Bytes = std::span<const std::byte>;

/// ExplainedStep::ones of a block of little-endian words.
std::vector<std::vector<std::uint8_t>> ones_of(Bytes block, std::size_t word_bytes,
                                               std::size_t columns) {
  const std::size_t words = block.size() / word_bytes, bits = 8 * word_bytes;
  columns = std::min(columns, words);
  std::vector<std::vector<std::uint8_t>> rows(bits, std::vector<std::uint8_t>(columns));
  for (std::size_t bit = 0; bit < bits; ++bit) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t begin = column * words / columns, end = (column + 1) * words / columns;
      std::size_t ones = 0;
      for (std::size_t word = begin; word < end; ++word) {
        ones += std::to_integer<unsigned>(block[word * word_bytes + bit / 8]) >> bit % 8 & 1;
      }
      rows[bits - 1 - bit][column] = static_cast<std::uint8_t>(255 * ones / (end - begin));
    }
  }
  return rows;
}

/// The first `stages` stages of a pipeline, of which the last need not be a reducer.
synth::Pipeline beginning_of(const synth::Pipeline& pipeline, std::size_t stages) {
  return {{pipeline.stages.begin(), pipeline.stages.begin() + static_cast<std::ptrdiff_t>(stages)},
          std::min(pipeline.cut, static_cast<unsigned>(stages))};
}

}  // namespace

std::vector<ExplainedStep> explain(Bytes input, const synth::Method& method, std::size_t word_bytes,
                                   const ExplainOptions& options) {
  const std::uint64_t chunks = chunk_count(input.size() / word_bytes, options.chunk_words);
  if (options.chunk >= chunks) {
    raise("there is no chunk {}: the data have {} of {}", options.chunk, counted(chunks, "chunk"),
          counted(options.chunk_words, "word"));
  }
  Bytes words = input.first(input.size() / word_bytes * word_bytes);
  const auto chunk_at = [&](std::uint64_t index) {
    const std::size_t chunk_bytes = options.chunk_words * word_bytes, at = index * chunk_bytes;
    return words.subspan(at, std::min(chunk_bytes, words.size() - at));
  };
  std::vector<ExplainedStep> steps;
  const auto add = [&](const std::string& name, std::size_t own_bytes, std::uint64_t bytes,
                       std::uint64_t beside, Bytes shown) {
    steps.push_back({name, own_bytes, bytes, beside, shown.size() / own_bytes,
                     ones_of(shown, own_bytes, options.columns)});
  };
  add("", word_bytes, words.size(), 0, chunk_at(options.chunk));

  Transformed after;
  for (const synth::PreludeStep& step : method.prelude.steps) {
    Transformed next = transform(words, {{step}}, word_bytes);
    after.bytes = std::move(next.bytes);
    after.side.push_back(std::move(next.side.front()));
    words = after.bytes;
    add(synth::to_string(step), word_bytes, words.size(), after.overhead_bytes(),
        chunk_at(options.chunk));
  }

  const synth::PipelineStages stages(method.pipeline, word_bytes);
  std::vector<std::uint64_t> bytes(stages.size());
  ChunkCoder coder(method.pipeline, word_bytes, options.chunk_words);
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    const auto extents = coder.encode(chunk_at(chunk)).extents;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      bytes[i] += extents[i].words * stages[i].word_bytes();
    }
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const synth::Pipeline begun = beginning_of(method.pipeline, i + 1);
    add(synth::to_string(begun.stages.back()), stages[i].word_bytes(), bytes[i],
        after.overhead_bytes() +
            chunks * synth::frame_bytes(begun, word_bytes, options.chunk_words),
        ChunkCoder(begun, word_bytes, options.chunk_words).encode(chunk_at(options.chunk)).block);
  }
  return steps;
}

}  // namespace fpsynth::codec
