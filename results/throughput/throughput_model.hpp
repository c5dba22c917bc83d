#pragma once
// Predicts the time of pipelines that were not timed, from the costs of their stages and of the
// codec around them, on one data set, in one precision, on one device.
//
// In each direction, a chunk of the data set takes
//
//   codec.fixed + codec.per_stage_second * stages + codec.per_out_byte * out bytes of the last
//
// where `stages` is the sum, over the pipeline's stages except NUL, which is not run, of
//
//   fixed + per_in_byte * in + ragged * (ragged_fixed + ragged_per_in_byte * in)
//         + per_out_byte * out + per_root_control * control
//
// with the load of the stage (StageLoad) measured on chunks of the data set, the stage's costs by
// component and word size, and the codec's by number of threads. The costs are fitted to random
// pipelines. The terms model the following: a stage is a pass over its block; blocks that do not
// end with a vector take slower paths; only the output is written; and a decoder branches on
// control bytes (of RLE), which are harder to predict the fewer they are, hence the root.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::results {

enum class Direction { Compress, Decompress };
inline constexpr Direction kDirections[] = {Direction::Compress, Direction::Decompress};
std::string_view to_string(Direction direction);

/// The work of a stage for a chunk, as a mean over chunks; in and out are those of the encoder.
struct StageLoad {
  double in_bytes = 0, out_bytes = 0;
  double ragged = 0;   ///< share of the chunks whose block does not end with a 64-byte vector
  double control = 0;  ///< root of the number of control bytes, if the output also has values
};

/// Nanoseconds that one component takes at one word size.
struct StageCost {
  synth::Component component;
  std::uint64_t word_bytes = 8;
  Direction direction = Direction::Compress;
  double fixed = 0, per_in_byte = 0, ragged_fixed = 0, ragged_per_in_byte = 0, per_out_byte = 0,
         per_root_control = 0;

  static void list(auto& fields, auto& cost) {
    fields("component", cost.component, "word_bytes", cost.word_bytes, "direction", cost.direction,
           "fixed_ns", cost.fixed, "ns_per_in_byte", cost.per_in_byte, "ragged_fixed_ns",
           cost.ragged_fixed, "ragged_ns_per_in_byte", cost.ragged_per_in_byte, "ns_per_out_byte",
           cost.per_out_byte, "ns_per_root_control", cost.per_root_control);
  }
  friend bool operator==(const StageCost&, const StageCost&) = default;

  /// At least 0, which the fitted costs may not be for loads outside of the fitted range.
  double nanoseconds(const StageLoad& load) const {
    return std::max(0.0, fixed + per_in_byte * load.in_bytes +
                             load.ragged * (ragged_fixed + ragged_per_in_byte * load.in_bytes) +
                             per_out_byte * load.out_bytes + per_root_control * load.control);
  }
};

/// Nanoseconds that the codec takes for a chunk besides the stages.
struct CodecCost {
  std::uint64_t threads = 1;
  Direction direction = Direction::Compress;
  double fixed = 0, per_stage_second = 1, per_out_byte = 0;

  static void list(auto& fields, auto& cost) {
    fields("threads", cost.threads, "direction", cost.direction, "fixed_ns", cost.fixed,
           "per_stage_second", cost.per_stage_second, "ns_per_out_byte", cost.per_out_byte);
  }
  friend bool operator==(const CodecCost&, const CodecCost&) = default;

  /// For a chunk whose stages take `stages` nanoseconds and whose output has `out_bytes`.
  double nanoseconds(double stages, double out_bytes) const {
    return fixed + per_stage_second * stages + per_out_byte * out_bytes;
  }
};

/// Predicted and measured GB/s of a pipeline in each direction.
struct PredictionCheck {
  std::string pipeline;
  std::uint64_t threads = 1;
  double compress_predicted = 0, compress_timed = 0;
  double decompress_predicted = 0, decompress_timed = 0;

  static void list(auto& fields, auto& check) {
    fields("pipeline", check.pipeline, "threads", check.threads, "compress_predicted_gb_per_s",
           check.compress_predicted, "compress_timed_gb_per_s", check.compress_timed,
           "decompress_predicted_gb_per_s", check.decompress_predicted, "decompress_timed_gb_per_s",
           check.decompress_timed);
  }
  friend bool operator==(const PredictionCheck&, const PredictionCheck&) = default;
};

/// The relative error of predictions over checks: |predicted - timed| / timed seconds.
struct PredictionError {
  std::uint64_t threads = 1;
  Direction direction = Direction::Compress;
  std::uint64_t pipelines = 0;
  double median = 0, percentile_90 = 0, worst = 0;

  static void list(auto& fields, auto& error) {
    fields("threads", error.threads, "direction", error.direction, "pipelines", error.pipelines,
           "median", error.median);
    fields("percentile_90", error.percentile_90);
    fields("worst", error.worst);
  }
  friend bool operator==(const PredictionError&, const PredictionError&) = default;
};

/// One entry per number of threads and direction. The speeds of the checks must be positive.
std::vector<PredictionError> prediction_errors(const std::vector<PredictionCheck>& checks);

struct CostModel {
  std::uint64_t seed = 0;       ///< of the random pipelines, for fitting and for validation
  std::uint64_t chunks = 0;     ///< of the data set, on which the stages were timed
  std::uint64_t pipelines = 0;  ///< to which the stages were fitted
  double chunk_bytes = 0;       ///< original bytes of a chunk
  std::vector<StageCost> stages;
  std::vector<CodecCost> codec;
  std::vector<PredictionCheck> checks;  ///< for validation, not used for fitting; may be empty

  static void list(auto& fields, auto& model);
  friend bool operator==(const CostModel&, const CostModel&) = default;

  /// The costs of a stage and of the codec; null if the model has none.
  const StageCost* stage(synth::Component component, std::size_t word_bytes,
                         Direction direction) const;
  const CodecCost* around(std::uint64_t threads, Direction direction) const;

  /// Nanoseconds of a pipeline's stages for a chunk, with one load per stage. Nullopt if the model
  /// has no costs for one of the stages.
  std::optional<double> stage_nanoseconds(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                          std::span<const StageLoad> loads,
                                          Direction direction) const;
  /// 1e9 original bytes per second of a pipeline whose stages take `stage_nanoseconds` for a chunk
  /// and whose output has `out_bytes`. Nullopt if the model has no costs for the number of threads,
  /// or if the predicted time is not positive.
  std::optional<double> gb_per_s(double stage_nanoseconds, double out_bytes, std::uint64_t threads,
                                 Direction direction) const;
};

/// The predictions for every pipeline of a space, by id: nanoseconds of the stages for a chunk.
struct Predictions {
  synth::Space space;
  std::uint64_t chunks = 0;  ///< of the data set, on which the loads were measured
  std::vector<std::uint64_t> compress, decompress;

  static void list(auto& fields, auto& predictions) {
    fields("space", predictions.space, "chunks", predictions.chunks, "compress_stage_ns",
           predictions.compress, "decompress_stage_ns", predictions.decompress);
  }
  friend bool operator==(const Predictions&, const Predictions&) = default;
  const std::vector<std::uint64_t>& of(Direction direction) const {
    return direction == Direction::Compress ? compress : decompress;
  }
};

}  // namespace fpsynth::results
