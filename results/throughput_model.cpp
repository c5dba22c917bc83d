#include "results/throughput_model.hpp"

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

std::optional<double> CostModel::seconds(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                         std::span<const double> lengths, std::uint64_t threads,
                                         Direction direction) const {
  const CodecCost* outside = around(threads, direction);
  if (!outside) return std::nullopt;
  double inside = 0;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const synth::Component component = pipeline.stages[i];
    if (synth::family(component.family).identity) continue;
    const StageCost* cost = stage(component, pipeline.stage_word_bytes(i, word_bytes), direction);
    if (!cost) return std::nullopt;
    inside += cost->fixed + cost->per_in_byte * lengths[i] + cost->per_out_byte * lengths[i + 1];
  }
  const double nanoseconds =
      outside->fixed + outside->per_stage_second * inside + outside->per_out_byte * lengths.back();
  if (!(nanoseconds > 0)) return std::nullopt;
  return nanoseconds / 1e9;
}

std::optional<double> CostModel::gb_per_s(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                          std::span<const double> lengths, std::uint64_t threads,
                                          Direction direction) const {
  const auto time = seconds(pipeline, word_bytes, lengths, threads, direction);
  if (!time) return std::nullopt;
  return lengths.front() / *time / 1e9;
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
        // Of seconds, which are reciprocal to the speeds.
        off.push_back(std::abs(timed / predicted - 1));
      }
      std::ranges::sort(off);
      // The smallest value that so many are not above.
      const auto at = [&](double share) {
        return off[static_cast<std::size_t>(std::ceil(share * double(off.size()))) - 1];
      };
      errors.push_back({threads, direction, off.size(), at(0.5), at(0.9), off.back()});
    }
  }
  return errors;
}

namespace {

/// The id of the pipeline's first `count` stages, with NULs in front of them.
std::optional<std::uint64_t> prefix_id(const synth::Space& space, const synth::Pipeline& pipeline,
                                       std::size_t count) {
  synth::Pipeline prefix = pipeline;
  prefix.stages.resize(count);
  prefix.cut = std::min<unsigned>(prefix.cut, static_cast<unsigned>(count));
  return space.id_of(space.padded(prefix));
}

}  // namespace

std::optional<std::vector<double>> block_lengths(const Document& document,
                                                 const synth::Pipeline& pipeline) {
  const std::size_t word_bytes = synth::word_bytes(document.data.precision);
  const auto chunks = static_cast<double>(document.run.chunks_done);
  if (chunks == 0) return std::nullopt;
  std::vector<double> lengths = {static_cast<double>(document.sampled_bytes) / chunks};
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    lengths.push_back(lengths.back());
    if (!synth::family(pipeline.stages[i].family).reduces) continue;
    const auto id = prefix_id(document.space, pipeline, i + 1);
    if (!id) return std::nullopt;
    const std::size_t frame =
        synth::frame_bytes(document.space.at(*id), word_bytes, synth::kChunkWords);
    lengths.back() = static_cast<double>(document.payload_bytes[*id]) / chunks - double(frame);
  }
  return lengths;
}

}  // namespace fpsynth::results
