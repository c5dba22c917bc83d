#include "runners/timing/model/calibrate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <random>
#include <unordered_set>

#include "runners/timing/model/fit.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::timing {
namespace {

using results::CostModel;
using results::Direction;
using results::PredictionCheck;
using synth::Pipeline;

void report(const Progress& progress, const std::string& doing) {
  if (progress) progress(doing);
}

/// The model's prediction for a pipeline's stages, before the pipeline is timed as a whole.
struct Expected {
  double compress_ns = 0, decompress_ns = 0, out_bytes = 0;
  double of(Direction direction) const {
    return direction == Direction::Compress ? compress_ns : decompress_ns;
  }
};

Expected expect(const CostModel& model, const Pipeline& pipeline, std::size_t word_bytes,
                const Chunks& chunks) {
  codec::ChunkCoder coder(pipeline, word_bytes, chunks.front().size() / word_bytes);
  const auto loads = stage_loads(coder, chunks);
  Expected expected;
  const auto stages = [&](Direction direction) {
    const auto time = model.stage_nanoseconds(pipeline, word_bytes, loads, direction);
    if (!time) {
      throw Error(
          fmt::format("no timed pipeline has one of the components of {}; draw from a "
                      "larger space",
                      synth::to_string(pipeline)));
    }
    return *time;
  };
  expected.compress_ns = stages(Direction::Compress);
  expected.decompress_ns = stages(Direction::Decompress);
  expected.out_bytes = loads.back().out_bytes;
  return expected;
}

std::vector<TimedStages> time_all_stages(std::span<const Pipeline> pipelines,
                                         std::size_t word_bytes, const Chunks& chunks,
                                         int repetitions, const Progress& progress) {
  std::vector<TimedStages> timed;
  for (const Pipeline& pipeline : pipelines) {
    if (timed.size() % 100 == 0) {
      report(progress, fmt::format("stages: {}/{} pipelines", timed.size(), pipelines.size()));
    }
    timed.push_back(time_stages(pipeline, word_bytes, chunks, repetitions));
  }
  return timed;
}

/// A pipeline timed as a whole, with one variant.
struct TimedWhole {
  Expected expected;
  double compress = 0, decompress = 0;  ///< seconds
  double of(Direction direction) const {
    return direction == Direction::Compress ? compress : decompress;
  }
};

/// Fits the codec's costs beside the stages, for one variant, and checks predictions.
class Whole {
 public:
  Whole(CostModel& model, const Variant& variant, const TimedInput& input,
        synth::Precision precision, const Chunks& chunks, const Progress& progress)
      : model_(model),
        variant_(variant),
        input_(input),
        precision_(precision),
        chunks_(chunks),
        progress_(progress) {}

  void fit(std::span<const Pipeline> pipelines) {
    const double per_chunk = double(input_.bytes().size()) / model_.chunk_bytes;
    std::vector<TimedWhole> timed;
    for (const Pipeline& pipeline : pipelines) {
      timed.push_back(time("codec", pipeline, timed.size(), pipelines.size(), 1));
    }
    for (const Direction direction : results::kDirections) {
      std::vector<TimedAround> around;
      for (const TimedWhole& one : timed) {
        around.push_back({one.expected.of(direction), one.expected.out_bytes,
                          one.of(direction) * 1e9 / per_chunk});
      }
      model_.codec.push_back(fit_codec(around, variant_.threads, direction));
    }
  }

  void check(std::span<const Pipeline> pipelines, int repetitions) {
    std::size_t done = 0;
    for (const Pipeline& pipeline : pipelines) {
      const TimedWhole one = time("checks", pipeline, done++, pipelines.size(), repetitions);
      PredictionCheck check{.pipeline = synth::to_string(pipeline), .threads = variant_.threads};
      check.compress_predicted = predicted(one, Direction::Compress);
      check.decompress_predicted = predicted(one, Direction::Decompress);
      const double gigabytes = double(input_.bytes().size()) / 1e9;
      check.compress_timed = gigabytes / one.compress;
      check.decompress_timed = gigabytes / one.decompress;
      model_.checks.push_back(check);
    }
  }

 private:
  TimedWhole time(const char* what, const Pipeline& pipeline, std::size_t done, std::size_t all,
                  int repetitions) const {
    report(progress_,
           fmt::format("{}, {} threads: {}/{} pipelines", what, variant_.threads, done, all));
    const auto codec = variant_.make(pipeline, precision_);
    const Measurement measured =
        measure(*codec, synth::to_string(pipeline), input_.bytes(), {.repetitions = repetitions});
    return {expect(model_, pipeline, synth::word_bytes(precision_), chunks_),
            measured.compress.median, measured.decompress.median};
  }

  double predicted(const TimedWhole& one, Direction direction) const {
    const auto speed = model_.gb_per_s(one.expected.of(direction), one.expected.out_bytes,
                                       variant_.threads, direction);
    if (!speed) {
      throw Error("the model predicts no time at all; calibrate on a quieter machine");
    }
    return *speed;
  }

  CostModel& model_;
  const Variant& variant_;
  const TimedInput& input_;
  synth::Precision precision_;
  const Chunks& chunks_;
  const Progress& progress_;
};

}  // namespace

std::vector<Pipeline> draw_pipelines(const synth::Space& space, std::size_t count,
                                     std::uint64_t seed) {
  const std::uint64_t size = space.size();
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size));
  std::vector<Pipeline> drawn;
  // std::mt19937_64 is the same everywhere; the standard library's distributions and shuffles are
  // not.
  std::mt19937_64 random(seed);
  std::unordered_set<std::uint64_t> seen;
  while (drawn.size() < count) {
    // Floyd's algorithm: draws a random id of the first last + 1, or takes `last` if that one was
    // drawn before. A space is small compared with 2^64, so the remainder is uniform enough.
    const std::uint64_t last = size - count + drawn.size();
    std::uint64_t id = random() % (last + 1);
    if (!seen.insert(id).second) seen.insert(id = last);
    drawn.push_back(space.at(id));
  }
  for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[random() % i]);
  return drawn;
}

CostModel calibrate(const Backend& backend, const synth::Space& space,
                    std::span<const std::byte> data, const TimedInput& input,
                    synth::Precision precision, const Calibration& options,
                    const Progress& progress) {
  const auto pipelines =
      draw_pipelines(space, options.checks + options.stage_pipelines, options.seed);
  const std::size_t checks = std::min(options.checks, pipelines.size() / 4);
  const std::span checked = std::span(pipelines).first(checks);
  const std::span fitted = std::span(pipelines).subspan(checks);
  const std::span whole = fitted.first(std::min(options.codec_pipelines, fitted.size()));
  if (whole.size() < 3) {
    throw Error(fmt::format("a space of {} pipelines is too small for a model; time all of them",
                            space.size()));
  }
  const std::size_t word_bytes = synth::word_bytes(precision);
  const Chunks chunks = sample_chunks(data, word_bytes, options.chunks);
  CostModel model;
  model.seed = options.seed;
  model.chunks = chunks.size();
  model.pipelines = fitted.size();
  model.chunk_bytes = static_cast<double>(chunks.front().size());
  model.stages = fit_stages(
      time_all_stages(fitted, word_bytes, chunks, options.stage_repetitions, progress), word_bytes);
  for (const Variant& variant : backend.variants) {
    if (variant.how != "library") continue;
    Whole codec(model, variant, input, precision, chunks, progress);
    codec.fit(whole);
    codec.check(checked, options.repetitions);
  }
  return model;
}

results::Predictions predict_all(const CostModel& model, const synth::Space& space,
                                 std::span<const std::byte> data, synth::Precision precision,
                                 std::size_t count, std::uint64_t threads,
                                 const Progress& progress) {
  report(progress, fmt::format("predicting {} pipelines", space.size()));
  const std::size_t word_bytes = synth::word_bytes(precision);
  const Chunks chunks = sample_chunks(data, word_bytes, count);
  results::Predictions predictions;
  predictions.space = space;
  predictions.chunks = chunks.size();
  const std::uint64_t size = space.size();
  predictions.compress.resize(size);
  predictions.decompress.resize(size);
  std::exception_ptr error;
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(dynamic, 256)
  for (std::uint64_t id = 0; id < size; ++id) {
    try {
      const Expected expected = expect(model, space.at(id), word_bytes, chunks);
      predictions.compress[id] = static_cast<std::uint64_t>(std::llround(expected.compress_ns));
      predictions.decompress[id] = static_cast<std::uint64_t>(std::llround(expected.decompress_ns));
    } catch (...) {
#pragma omp critical
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
  return predictions;
}

}  // namespace fpsynth::timing
