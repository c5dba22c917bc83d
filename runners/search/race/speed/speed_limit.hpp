#pragma once
// Decides which pipelines are fast enough, by the calibrated model of speed
// (results/throughput/throughput_model.hpp). A race for the best of the fast pipelines drops the
// others before it compares sizes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/stage_table.hpp"
#include "results/throughput/throughput_model.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// The least speeds that a pipeline must have, in GB/s (1e9 original bytes a second); 0: any.
struct MinSpeed {
  double compress = 0, decompress = 0;
  friend bool operator==(const MinSpeed&, const MinSpeed&) = default;

  /// "compress=2,decompress=4", either one alone, in any order. Throws UsageError.
  static MinSpeed parse(std::string_view text);
  std::string text() const;
  /// True if there is no limit.
  bool none() const { return compress == 0 && decompress == 0; }
  double of(results::Direction direction) const {
    return direction == results::Direction::Compress ? compress : decompress;
  }
};

/// The predicted nanoseconds of stages for a chunk, in the mean over a sample of chunks.
struct StageTimes {
  double compress = 0, decompress = 0;
  double of(results::Direction direction) const {
    return direction == results::Direction::Compress ? compress : decompress;
  }
};

/// Decides by a model. Immutable; used by any number of threads.
class SpeedLimit {
 public:
  /// For words of `word_bytes` (8 or 4) bytes, of the codec on `threads` threads. Throws Error if
  /// the model has no costs of the codec on so many threads, which the message lists, or negative
  /// ones, with which a pipeline could become faster by another stage.
  SpeedLimit(results::CostModel model, MinSpeed least, std::size_t word_bytes,
             std::uint64_t threads);

  /// Throws Error, which names the component, unless the model has the costs of all stages that
  /// pipelines of the space may have, and is one of chunks of its length.
  void check(const synth::Space& space) const;

  /// The times of stages and one more, whose mean load on the sample is given. `word_bytes` is that
  /// of the stage: 1 after the cut. NUL takes no time. Throws Error if the model has no costs of
  /// it.
  StageTimes after(const StageTimes& before, synth::Component component, std::size_t word_bytes,
                   const results::StageLoad& load) const;

  /// True if a pipeline whose stages take these times, and whose output has `out_bytes` a chunk, is
  /// predicted to be fast enough in both directions.
  bool fast_enough(const StageTimes& times, double out_bytes) const;
  /// False if no pipeline that begins with stages of these times can be fast enough, since further
  /// stages only add to them.
  bool may_be_fast_enough(const StageTimes& times) const { return fast_enough(times, 0); }

  const MinSpeed& least() const { return least_; }
  /// Equal texts for equal limits and models.
  std::string identity() const;
  std::size_t word_bytes() const { return word_bytes_; }

 private:
  /// The costs of a component, in the order of kDirections; null if the model has none.
  const results::StageCost* cost(synth::Component component, std::size_t word_bytes,
                                 results::Direction direction) const;

  results::CostModel model_;
  MinSpeed least_;
  std::size_t word_bytes_;
  /// Indices in model_.stages by family, parameter, column of the word size and direction; -1:
  /// none. A race asks for them hundreds of millions of times.
  std::vector<std::int32_t> costs_;
  double most_ns_[2];  ///< for a chunk, by direction; infinity: any
  results::CodecCost codec_[2];
};

/// Predicts the times of all leaves of a plan on a sample of blocks. Every stage is run, because
/// the lengths of blocks do not suffice: decoders of RLE branch on control bytes. Subtrees below a
/// node that is too slow are left out. Owns some 100 KiB per block and thread.
class SpeedWalker {
 public:
  /// For blocks of words of `word_bytes` bytes: limit.word_bytes() or, if all stages of the plan
  /// are behind a cut, 1. Walks with `threads` OpenMP threads. `limit`, `plan` and `stages` must
  /// outlive the walker.
  SpeedWalker(const SpeedLimit& limit, const synth::Plan& plan, std::size_t word_bytes, int threads,
              const components::StageTable& stages);

  /// By leaf of the plan, 1 if it is predicted to be fast enough, else 0. `blocks`, at least one,
  /// are the outputs of the same stages, which take the times `before`, on a sample of chunks:
  /// whole words each, up to plan.input_words(). The result is the same on any number of threads.
  std::vector<std::uint8_t> fast_enough(std::span<const std::span<const std::byte>> blocks,
                                        const StageTimes& before) const;

  /// The prediction for a leaf.
  struct Predicted {
    StageTimes times;  ///< of all its stages, those before the plan's included
    double out_bytes = 0;
  };
  /// The same without leaving out subtrees that are too slow, for tests and reports.
  std::vector<Predicted> predict(std::span<const std::span<const std::byte>> blocks,
                                 const StageTimes& before) const;

 private:
  template <class Enter, class Leaf>
  void walk(std::span<const std::span<const std::byte>> blocks, const StageTimes& before,
            Enter enter, Leaf leaf) const;

  const SpeedLimit& limit_;
  const synth::Plan& plan_;
  std::size_t word_bytes_;
  int threads_;
  const components::StageTable& stages_;
  std::vector<std::size_t> worst_bytes_;  ///< by depth
  std::vector<std::size_t> ends_;         ///< one past the last node of each node's subtree
};

}  // namespace fpsynth::search
