#pragma once
// Fits the costs of the throughput model (results/throughput/throughput_model.hpp) to measurements:
// the loads of pipelines' stages on chunks sampled from a data set, and their times.

#include <cstddef>
#include <cstdint>
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

/// The x that minimizes the sum over rows of (row * x - target)^2; all rows have the same length.
/// Columns are first scaled to equal norms, and x is pulled towards 0 with weight `ridge` (ridge
/// regression): columns that the rows do not distinguish share their cost, and undetermined costs
/// are 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  std::span<const double> targets, double ridge);

/// Costs of every component that occurs, at every word size at which it occurs, in both directions.
/// Errors count relative to a pipeline's time. A pipeline's costs beside its stages are fitted with
/// them and discarded.
std::vector<results::StageCost> fit_stages(std::span<const TimedStages> timed,
                                           std::size_t word_bytes);

/// A codec's time for a chunk, and what the model predicts for its stages.
struct TimedAround {
  double stage_ns = 0, out_bytes = 0;  ///< predicted; mean output bytes of the last stage
  double chunk_ns = 0;                 ///< timed, everything included
};
/// The codec's costs; none of them is negative.
results::CodecCost fit_codec(std::span<const TimedAround> timed, std::uint64_t threads,
                             results::Direction direction);

}  // namespace fpsynth::timing
