#pragma once
// What the stages of a pipeline have to do on a data set: measured on chunks taken from it.

#include <cstddef>
#include <span>
#include <vector>

#include "results/throughput/throughput_model.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"

namespace fpsynth::timing {

using Chunks = std::vector<std::span<const std::byte>>;

/// At most `count` whole chunks of the data, evenly spread; all its words, where it is shorter than
/// a chunk. They are views of the data. Throws Error where it holds no whole word.
Chunks sample_chunks(std::span<const std::byte> data, std::size_t word_bytes, std::size_t count);

/// The mean loads of a pipeline's stages over chunks, by encoding them.
std::vector<results::StageLoad> stage_loads(codec::ChunkCoder& coder, const Chunks& chunks);

/// A pipeline's loads, and how long all its stages take for a chunk in the mean.
struct TimedStages {
  synth::Pipeline pipeline;
  std::vector<results::StageLoad> loads;
  double compress_ns = 0, decompress_ns = 0;  ///< medians of the repetitions
};

/// Encodes and decodes all chunks, one after the other, `repetitions` times, on this thread. Throws
/// RoundTripError where a chunk does not come back.
TimedStages time_stages(const synth::Pipeline& pipeline, std::size_t word_bytes,
                        const Chunks& chunks, int repetitions);

}  // namespace fpsynth::timing
