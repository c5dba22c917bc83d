#include "results/throughput/throughput_model.hpp"

#include <algorithm>
#include <cmath>

namespace fpsynth::results {

std::string_view to_string(Direction direction) {
  return direction == Direction::Compress ? "compress" : "decompress";
}

const StageCost* CostModel::stage(synth::Component component, std::size_t word_bytes,
                                  Direction direction) const {
  const auto found = std::ranges::find_if(stages, [&](const StageCost& cost) {
    return cost.component == component && cost.word_bytes == word_bytes &&
           cost.direction == direction;
  });
  return found == stages.end() ? nullptr : &*found;
}

const CodecCost* CostModel::around(std::uint64_t threads, Direction direction) const {
  const auto found = std::ranges::find_if(codec, [&](const CodecCost& cost) {
    return cost.threads == threads && cost.direction == direction;
  });
  return found == codec.end() ? nullptr : &*found;
}

std::optional<double> CostModel::stage_nanoseconds(const synth::Pipeline& pipeline,
                                                   std::size_t word_bytes,
                                                   std::span<const StageLoad> loads,
                                                   Direction direction) const {
  double sum = 0;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const synth::Component component = pipeline.stages[i];
    if (synth::family(component.family).identity) continue;
    const StageCost* cost = stage(component, pipeline.stage_word_bytes(i, word_bytes), direction);
    if (!cost) return std::nullopt;
    sum += cost->nanoseconds(loads[i]);
  }
  return sum;
}

std::optional<double> CostModel::gb_per_s(double stage_nanoseconds, double out_bytes,
                                          std::uint64_t threads, Direction direction) const {
  const CodecCost* cost = around(threads, direction);
  if (!cost) return std::nullopt;
  const double nanoseconds = cost->nanoseconds(stage_nanoseconds, out_bytes);
  if (!(nanoseconds > 0)) return std::nullopt;
  return chunk_bytes / nanoseconds;
}

std::vector<PredictionError> prediction_errors(const std::vector<PredictionCheck>& checks) {
  std::vector<std::uint64_t> counts;
  for (const PredictionCheck& check : checks) counts.push_back(check.threads);
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<PredictionError> errors;
  for (const std::uint64_t threads : counts) {
    for (const Direction direction : kDirections) {
      std::vector<double> off;
      for (const PredictionCheck& check : checks) {
        if (check.threads != threads) continue;
        const bool compress = direction == Direction::Compress;
        const double predicted = compress ? check.compress_predicted : check.decompress_predicted;
        const double timed = compress ? check.compress_timed : check.decompress_timed;
        // The error of the seconds, which are the reciprocals of the speeds.
        off.push_back(std::abs(timed / predicted - 1));
      }
      std::ranges::sort(off);
      // The smallest value that is not below a share of the errors.
      const auto at = [&](double share) {
        return off[static_cast<std::size_t>(std::ceil(share * double(off.size()))) - 1];
      };
      errors.push_back({threads, direction, off.size(), at(0.5), at(0.9), off.back()});
    }
  }
  return errors;
}

}  // namespace fpsynth::results
