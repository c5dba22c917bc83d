#pragma once
// A method taken apart: what the data are after each of its steps.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "synth/pipeline.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// The data after one step of a method.
struct ExplainedStep {
  std::string name;            ///< "DEC:2", "LNV2s"; empty for the data before all steps
  std::size_t word_bytes = 0;  ///< of the words that the step writes
  std::uint64_t bytes = 0;     ///< of all data after it
  /// Bytes that a file keeps beside these to undo the steps so far: side data of the prelude and
  /// the lengths of blocks.
  std::uint64_t beside = 0;
  /// Words of the chunk that is shown.
  std::size_t shown_words = 0;
  /// For each bit of a word, most significant first, and each of `columns` runs of consecutive
  /// words of that chunk: the share of ones, 0 to 255. A chunk with fewer words than columns has a
  /// column for each.
  std::vector<std::vector<std::uint8_t>> ones;
};

struct ExplainOptions {
  std::size_t chunk_words = synth::kChunkWords;
  std::size_t chunk = 0;      ///< the one that is shown, from 0
  std::size_t columns = 256;  ///< at least 1
};

/// Runs a method on all whole words of `input`, of `word_bytes` (8 or 4) bytes each. Returns the
/// data before all steps, then after each step of the prelude and each stage of the pipeline; the
/// last one's bytes are the payload of a file, but for the lengths of blocks. Takes the memory of
/// codec::transform() and runs the pipeline once, on one thread. Throws Error if there is no chunk
/// of that number, and what transform() and ChunkCoder throw.
std::vector<ExplainedStep> explain(std::span<const std::byte> input, const synth::Method& method,
                                   std::size_t word_bytes, const ExplainOptions& options = {});

}  // namespace fpsynth::codec
