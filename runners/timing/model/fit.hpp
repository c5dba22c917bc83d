#pragma once
// Fits the costs of the throughput model (results/throughput/throughput_model.hpp) to what was
// timed.

#include <cstdint>
#include <span>
#include <vector>

#include "results/throughput/throughput_model.hpp"
#include "runners/timing/model/stage_loads.hpp"

namespace fpsynth::timing {

/// The x for which sum over rows of (row * x - target)^2 is least, all rows being equally long.
/// Columns are scaled to one length first and held, with the weight `ridge`, towards 0: what the
/// rows do not tell apart is shared, and what they do not tell is 0.
std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  std::span<const double> targets, double ridge);

/// Costs of every component that occurs, at every word size at which it does, in both directions;
/// errors count relative to a pipeline's time. What a pipeline costs beside its stages is fitted
/// with them and left out.
std::vector<results::StageCost> fit_stages(std::span<const TimedStages> timed,
                                           std::size_t word_bytes);

/// A codec's time for a chunk beside what the model says of its stages.
struct TimedAround {
  double stage_ns = 0, out_bytes = 0;  ///< the model's; mean bytes behind the last stage
  double chunk_ns = 0;                 ///< timed, all in
};
/// The codec's costs, none of them negative.
results::CodecCost fit_codec(std::span<const TimedAround> timed, std::uint64_t threads,
                             results::Direction direction);

}  // namespace fpsynth::timing
