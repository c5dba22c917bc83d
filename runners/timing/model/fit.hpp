#pragma once
// Fits the costs of the throughput model (results/throughput/throughput_model.hpp) to measurements.

#include <cstdint>
#include <span>
#include <vector>

#include "results/throughput/throughput_model.hpp"
#include "runners/timing/model/stage_loads.hpp"

namespace fpsynth::timing {

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
