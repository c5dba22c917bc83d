#include "runners/codec/explain.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

using Bytes = std::span<const std::byte>;

/// Calls take(chunk) for each chunk of whole words.
template <class Take>
void for_each_chunk(Bytes words, std::size_t chunk_bytes, Take take) {
  for (std::size_t at = 0; at < words.size(); at += chunk_bytes) {
    take(words.subspan(at, std::min(chunk_bytes, words.size() - at)));
  }
}

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

ExplainedStep step_of(std::string name, std::size_t word_bytes, std::uint64_t bytes,
                      std::uint64_t beside, Bytes shown, const ExplainOptions& options) {
  return {std::move(name),
          word_bytes,
          bytes,
          beside,
          shown.size() / word_bytes,
          ones_of(shown, word_bytes, options.columns)};
}

/// The first `stages` stages of a pipeline, of which the last need not be a reducer.
synth::Pipeline beginning_of(const synth::Pipeline& pipeline, std::size_t stages) {
  return {{pipeline.stages.begin(), pipeline.stages.begin() + static_cast<std::ptrdiff_t>(stages)},
          std::min(pipeline.cut, static_cast<unsigned>(stages))};
}

}  // namespace

std::uint64_t chunks_of(std::uint64_t bytes, std::size_t word_bytes, std::size_t chunk_words) {
  const std::uint64_t words = bytes / word_bytes;
  return words / chunk_words + (words % chunk_words != 0);
}

std::vector<ExplainedStep> explain(Bytes input, const synth::Method& method, std::size_t word_bytes,
                                   const ExplainOptions& options) {
  const std::uint64_t chunks = chunks_of(input.size(), word_bytes, options.chunk_words);
  if (options.chunk >= chunks) {
    throw Error(fmt::format("there is no chunk {}: the data have {} of {}", options.chunk,
                            counted(chunks, "chunk"), counted(options.chunk_words, "word")));
  }
  const std::size_t whole = input.size() / word_bytes * word_bytes;
  const std::size_t chunk_bytes = options.chunk_words * word_bytes;
  const std::size_t begin = options.chunk * chunk_bytes;
  const auto shown_of = [&](Bytes words) {
    return words.subspan(begin, std::min(chunk_bytes, whole - begin));
  };
  std::vector<ExplainedStep> steps = {step_of("", word_bytes, whole, 0, shown_of(input), options)};

  Transformed after;
  Bytes words = input.first(whole);
  for (std::size_t count = 1; count <= method.prelude.steps.size(); ++count) {
    const auto& all = method.prelude.steps;
    const synth::Prelude prelude{{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}};
    after = transform(input, prelude, word_bytes);
    words = Bytes(after.bytes).first(whole);
    steps.push_back(step_of(synth::to_string(all[count - 1]), word_bytes, whole,
                            after.overhead_bytes(), shown_of(words), options));
  }

  const std::uint64_t overhead = after.overhead_bytes();
  for (std::size_t count = 1; count <= method.pipeline.stages.size(); ++count) {
    const synth::Pipeline pipeline = beginning_of(method.pipeline, count);
    ChunkCoder coder(pipeline, word_bytes, options.chunk_words);
    std::uint64_t bytes = 0;
    for_each_chunk(words, chunk_bytes,
                   [&](Bytes chunk) { bytes += coder.encode(chunk).block.size(); });
    const Bytes block = coder.encode(shown_of(words)).block;
    const std::uint64_t frames =
        chunks * synth::frame_bytes(pipeline, word_bytes, options.chunk_words);
    steps.push_back(step_of(synth::to_string(pipeline.stages.back()),
                            pipeline.stage_word_bytes(count - 1, word_bytes), bytes,
                            overhead + frames, block, options));
  }
  return steps;
}

}  // namespace fpsynth::codec
