#pragma once
// The loads of a pipeline's stages on a data set, measured on chunks sampled from it.

#include <cstddef>
#include <span>
#include <vector>

#include "results/throughput/throughput_model.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"

namespace fpsynth::timing {

using Chunks = std::vector<std::span<const std::byte>>;

/// At most `count` whole chunks of the data, evenly spread; all its words if it is shorter than a
/// chunk. The chunks are views of the data. Throws Error if the data have no whole word.
Chunks sample_chunks(std::span<const std::byte> data, std::size_t word_bytes, std::size_t count);

/// The mean loads of a pipeline's stages over chunks, measured by encoding them.
std::vector<results::StageLoad> stage_loads(codec::ChunkCoder& coder, const Chunks& chunks);

/// A pipeline's loads, and the mean time that all its stages take for a chunk.
struct TimedStages {
  synth::Pipeline pipeline;
  std::vector<results::StageLoad> loads;
  double compress_ns = 0, decompress_ns = 0;  ///< medians of the repetitions
};

/// Encodes and decodes all chunks, one after the other, `repetitions` times, on this thread. Throws
/// RoundTripError if a chunk is not restored.
TimedStages time_stages(const synth::Pipeline& pipeline, std::size_t word_bytes,
                        const Chunks& chunks, int repetitions);

}  // namespace fpsynth::timing
