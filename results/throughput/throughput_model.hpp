#pragma once
// Predicts how long a pipeline takes that nobody timed, from what its stages and the codec around
// them cost on one data set, in one precision, on one device.
//
// In each direction, a chunk of the data set takes
//
//   codec.fixed + codec.per_stage_second * stages + codec.per_out_byte * out bytes of the last
//
// where `stages` is the sum, over the pipeline's stages but NUL, which is not run, of
//
//   fixed + per_in_byte * in + ragged * (ragged_fixed + ragged_per_in_byte * in)
//         + per_out_byte * out + per_root_control * control
//
// with the load of the stage (StageLoad) measured on chunks of the data set, the stage's costs by
// component and word size, and the codec's by number of threads. The costs are fitted to pipelines
// drawn at random. What the terms stand for: a stage is a pass over its block; blocks that do not
// end with a vector take slower paths; what the stage leaves out is not written; and a decoder
// branches on control bytes (of RLE), which are the harder to foresee the fewer they are, hence the
// root.

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

/// What a stage has to do for a chunk, in the mean over chunks; in and out are the encoder's.
struct StageLoad {
  double in_bytes = 0, out_bytes = 0;
  double ragged = 0;   ///< share of the chunks whose block does not end with a 64-byte vector
  double control = 0;  ///< root of the output's bytes that are not values, where it has both
};

/// Nanoseconds that one component takes at one word size.
struct StageCost {
  synth::Component component;
  std::uint64_t word_bytes = 8;
  Direction direction = Direction::Compress;
  double fixed = 0, per_in_byte = 0, ragged_fixed = 0, ragged_per_in_byte = 0, per_out_byte = 0,
         per_root_control = 0;
  friend bool operator==(const StageCost&, const StageCost&) = default;

  double nanoseconds(const StageLoad& load) const {
    return fixed + per_in_byte * load.in_bytes +
           load.ragged * (ragged_fixed + ragged_per_in_byte * load.in_bytes) +
           per_out_byte * load.out_bytes + per_root_control * load.control;
  }
};

/// Nanoseconds that the codec takes for a chunk, beside and around the stages.
struct CodecCost {
  std::uint64_t threads = 1;
  Direction direction = Direction::Compress;
  double fixed = 0, per_stage_second = 1, per_out_byte = 0;
  friend bool operator==(const CodecCost&, const CodecCost&) = default;
};

/// A prediction beside the truth: GB/s of each direction.
struct PredictionCheck {
  std::string pipeline;
  std::uint64_t threads = 1;
  double compress_predicted = 0, compress_timed = 0;
  double decompress_predicted = 0, decompress_timed = 0;
  friend bool operator==(const PredictionCheck&, const PredictionCheck&) = default;
};

/// How far predictions were off, over checks: |predicted - timed| / timed seconds.
struct PredictionError {
  std::uint64_t threads = 1;
  Direction direction = Direction::Compress;
  std::uint64_t pipelines = 0;
  double median = 0, percentile_90 = 0, worst = 0;
  friend bool operator==(const PredictionError&, const PredictionError&) = default;
};

/// By threads and direction; the speeds of the checks must be positive.
std::vector<PredictionError> prediction_errors(const std::vector<PredictionCheck>& checks);

struct CostModel {
  std::uint64_t seed = 0;       ///< of the pipelines drawn, for fitting and for validation
  std::uint64_t chunks = 0;     ///< of the data set, that the stages were timed on
  std::uint64_t pipelines = 0;  ///< that the stages were fitted to
  double chunk_bytes = 0;       ///< original bytes of a chunk
  std::vector<StageCost> stages;
  std::vector<CodecCost> codec;
  std::vector<PredictionCheck> checks;  ///< drawn to validate it, not fitted to; may be empty
  friend bool operator==(const CostModel&, const CostModel&) = default;

  /// Null where the model has none.
  const StageCost* stage(synth::Component component, std::size_t word_bytes,
                         Direction direction) const;
  const CodecCost* around(std::uint64_t threads, Direction direction) const;

  /// Nanoseconds of a pipeline's stages for a chunk; one load per stage. Nullopt where the model
  /// does not know one of the stages.
  std::optional<double> stage_nanoseconds(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                          std::span<const StageLoad> loads,
                                          Direction direction) const;
  /// 1e9 original bytes per second of a pipeline whose stages take so long for a chunk and make so
  /// many bytes of it. Nullopt where the model does not know the number of threads, or comes to
  /// less than the codec without any stage.
  std::optional<double> gb_per_s(double stage_nanoseconds, double out_bytes, std::uint64_t threads,
                                 Direction direction) const;
};

/// What the model says of every pipeline of a space, by id: nanoseconds of the stages for a chunk.
struct Predictions {
  synth::Space space;
  std::uint64_t chunks = 0;  ///< of the data set, that the loads were measured on
  std::vector<std::uint64_t> compress, decompress;
  friend bool operator==(const Predictions&, const Predictions&) = default;
  const std::vector<std::uint64_t>& of(Direction direction) const {
    return direction == Direction::Compress ? compress : decompress;
  }
};

}  // namespace fpsynth::results
