#pragma once
// Makes the throughput model of a data set: draws pipelines, times them, fits; predicts all others;
// and finds out how good that is.

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

/// Different pipelines of a space, drawn at random: the same ones for the same seed everywhere.
/// All of them, in another order, where the space has no more than `count`.
std::vector<synth::Pipeline> draw_pipelines(const synth::Space& space, std::size_t count,
                                            std::uint64_t seed);

struct Calibration {
  std::uint64_t seed = 1;
  std::size_t stage_pipelines = 3000;  ///< that the stages' costs are fitted to
  std::size_t codec_pipelines = 40;    ///< of these, that the codec's are, on the whole input
  std::size_t checks = 0;              ///< to validate with, on the whole input
  std::size_t chunks = 128;            ///< of the data set, to time stages on
  int stage_repetitions = 3;
  int repetitions = 3;  ///< of a check
};

/// Times stages on chunks of `data` and whole codecs on `input`, on the CPU; the library's variants
/// of `backend`. What is validated with is not fitted to. Throws Error where the space is too small
/// to tell anything.
results::CostModel calibrate(const Backend& backend, const synth::Space& space,
                             std::span<const std::byte> data, const TimedInput& input,
                             synth::Precision precision, const Calibration& options,
                             const Progress& progress = nullptr);

/// What the model predicts for every pipeline of a space: loads are measured by encoding `chunks`
/// chunks of the data with each, in parallel on `threads` threads. The model must know the
/// components.
results::Predictions predict_all(const results::CostModel& model, const synth::Space& space,
                                 std::span<const std::byte> data, synth::Precision precision,
                                 std::size_t chunks, std::uint64_t threads,
                                 const Progress& progress = nullptr);

}  // namespace fpsynth::timing
