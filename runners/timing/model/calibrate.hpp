#pragma once
// Computes the throughput model of a data set: draws pipelines, times them and fits the model;
// predicts all others; and measures how good the predictions are.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/throughput/throughput.hpp"
#include "runners/timing/backend.hpp"
#include "runners/timing/measure.hpp"
#include "runners/timing/timed_input.hpp"
#include "synth/space.hpp"

namespace fpsynth::timing {

/// Distinct pipelines of a space, drawn at random; the same seed gives the same ones on every
/// machine. All of them, in another order, if the space has no more than `count`.
std::vector<synth::Pipeline> draw_pipelines(const synth::Space& space, std::size_t count,
                                            std::uint64_t seed);

struct Calibration {
  std::uint64_t seed = 1;
  std::size_t stage_pipelines = 3000;  ///< timed to fit the stages' costs
  std::size_t codec_pipelines =
      40;                    ///< of these, timed on the whole input to fit the codec's costs
  std::size_t checks = 0;    ///< pipelines for validation, timed on the whole input
  std::size_t chunks = 128;  ///< chunks of the data set on which stages are timed
  int stage_repetitions = 3;
  int repetitions = 3;  ///< of a check
};

/// Times stages on chunks of `data` and whole codecs on `input`, on the CPU, for the library's
/// variants of `backend`. Pipelines for validation are not used for the fit. Throws Error if the
/// space is too small.
results::CostModel calibrate(const Backend& backend, const synth::Space& space,
                             std::span<const std::byte> data, const TimedInput& input,
                             synth::Precision precision, const Calibration& options,
                             const Progress& progress = nullptr);

/// The model's predictions for every pipeline of a space. Each pipeline's loads are measured by
/// encoding `chunks` chunks of the data, in parallel on `threads` threads. The model must have
/// costs of all components.
results::Predictions predict_all(const results::CostModel& model, const synth::Space& space,
                                 std::span<const std::byte> data, synth::Precision precision,
                                 std::size_t chunks, std::uint64_t threads,
                                 const Progress& progress = nullptr);

}  // namespace fpsynth::timing
