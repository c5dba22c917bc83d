#pragma once
// Predicts how long a pipeline takes that nobody timed, from what its stages and the codec around
// them cost on one data set, in one precision, on one device.
//
// A chunk of the data set passes a pipeline's stages with known mean block lengths: b[0] bytes into
// the first stage, b[i] out of stage i. In each direction, a chunk takes
//
//   codec.fixed + codec.per_stage_second * sum over stages(stage) + codec.per_out_byte * b[last]
//   stage = fixed + per_in_byte * b[i - 1] + per_out_byte * b[i]
//
// with the stage's figures by component and word size, and the codec's by number of threads. A
// stage that hands on its input unchanged (NUL) costs nothing: it is not run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/document.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::results {

enum class Direction { Compress, Decompress };
inline constexpr Direction kDirections[] = {Direction::Compress, Direction::Decompress};
std::string_view to_string(Direction direction);

/// Nanoseconds that one component takes at one word size; bytes are those of the encoder's input
/// and output, in both directions.
struct StageCost {
  synth::Component component;
  std::uint64_t word_bytes = 8;
  Direction direction = Direction::Compress;
  double fixed = 0, per_in_byte = 0, per_out_byte = 0;
  friend bool operator==(const StageCost&, const StageCost&) = default;
};

/// Nanoseconds that the codec takes for a chunk beside and around the stages.
struct CodecCost {
  std::uint64_t threads = 1;
  Direction direction = Direction::Compress;
  double fixed = 0, per_stage_second = 1, per_out_byte = 0;
  friend bool operator==(const CodecCost&, const CodecCost&) = default;
};

/// How far predictions of a direction were off: |predicted - timed| / timed seconds.
struct PredictionError {
  std::uint64_t threads = 1;
  Direction direction = Direction::Compress;
  std::uint64_t pipelines = 0;
  double median = 0, percentile_90 = 0, worst = 0;
  friend bool operator==(const PredictionError&, const PredictionError&) = default;
};

/// A prediction beside the truth: GB/s, one each per direction.
struct PredictionCheck {
  std::string pipeline;
  std::uint64_t threads = 1;
  double compress_predicted = 0, compress_timed = 0;
  double decompress_predicted = 0, decompress_timed = 0;
  friend bool operator==(const PredictionCheck&, const PredictionCheck&) = default;
};

struct CostModel {
  std::uint64_t seed = 0;       ///< of the pipelines drawn, for fitting and for validation
  std::uint64_t chunks = 0;     ///< of the data set, that the stages were timed on
  std::uint64_t pipelines = 0;  ///< that the stages were fitted to
  double chunk_bytes = 0;       ///< mean length of a chunk of the timed input
  std::vector<StageCost> stages;
  std::vector<CodecCost> codec;
  std::vector<PredictionCheck> checks;  ///< pipelines that were drawn to validate it; may be empty
  std::vector<PredictionError> errors;  ///< over the checks
  friend bool operator==(const CostModel&, const CostModel&) = default;

  const StageCost* stage(synth::Component component, std::size_t word_bytes,
                         Direction direction) const;
  const CodecCost* around(std::uint64_t threads, Direction direction) const;

  /// Seconds for one chunk. `lengths` are the mean block lengths in bytes b[0]..b[stages]. Nullopt
  /// where the model does not know one of the stages or the number of threads, or where its figures
  /// come to nothing or less.
  std::optional<double> seconds(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                std::span<const double> lengths, std::uint64_t threads,
                                Direction direction) const;
  /// 1e9 original bytes per second; the same.
  std::optional<double> gb_per_s(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                 std::span<const double> lengths, std::uint64_t threads,
                                 Direction direction) const;
};

/// Errors by threads and direction over checks.
std::vector<PredictionError> prediction_errors(const std::vector<PredictionCheck>& checks);

/// The mean block lengths b[0]..b[stages] of a pipeline of the document's space, per chunk, from
/// the payloads that the search counted: the block behind a stage that reduces is the payload of
/// the pipeline that ends there, which the space holds with NULs in front. Nullopt where it does
/// not hold it, or nothing was searched.
std::optional<std::vector<double>> block_lengths(const Document& document,
                                                 const synth::Pipeline& pipeline);

}  // namespace fpsynth::results
