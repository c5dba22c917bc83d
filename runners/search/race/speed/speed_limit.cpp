#include "runners/search/race/speed/speed_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "synth/common/error.hpp"

namespace fpsynth::search {
namespace {

using results::Direction;

constexpr std::size_t kParameters = 65;  // 0, of components without one, and 1..64

std::size_t cost_index(synth::Component component, std::size_t word_bytes, Direction direction) {
  const std::size_t row = component.family * kParameters + component.parameter;
  return (row * 3 + components::word_column(word_bytes)) * 2 + static_cast<std::size_t>(direction);
}

/// A positive number of GB/s; nullopt for any other text.
std::optional<double> speed_of(std::string_view text) {
  double speed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(speed) || speed <= 0) return std::nullopt;
  return speed;
}

}  // namespace

MinSpeed MinSpeed::parse(std::string_view text) {
  MinSpeed least;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma), name = part.substr(0, part.find('='));
    double* const speed = name == "compress"     ? &least.compress
                          : name == "decompress" ? &least.decompress
                                                 : nullptr;
    const std::optional<double> value =
        part.size() > name.size() ? speed_of(part.substr(name.size() + 1)) : std::nullopt;
    if (!speed || !value || *speed > 0) {
      throw UsageError(fmt::format(
          "least speed '{}': give compress=GB/s, decompress=GB/s or both once, positive numbers, "
          "as in compress=2,decompress=4",
          text));
    }
    *speed = *value;
    if (comma == std::string_view::npos) return least;
    rest.remove_prefix(comma + 1);
  }
}

std::string MinSpeed::text() const {
  std::string text;
  if (compress > 0) text += fmt::format("compress={}", compress);
  if (decompress > 0) text += fmt::format("{}decompress={}", text.empty() ? "" : ",", decompress);
  return text;
}

SpeedLimit::SpeedLimit(results::CostModel model, MinSpeed least, std::size_t word_bytes,
                       std::uint64_t threads)
    : model_(std::move(model)),
      least_(least),
      word_bytes_(word_bytes),
      costs_(synth::family_count() * kParameters * 3 * 2, -1) {
  for (std::size_t i = 0; i < model_.stages.size(); ++i) {
    const results::StageCost& cost = model_.stages[i];
    costs_[cost_index(cost.component, cost.word_bytes, cost.direction)] =
        static_cast<std::int32_t>(i);
  }
  for (const Direction direction : results::kDirections) {
    const auto at = static_cast<std::size_t>(direction);
    const results::CodecCost* around = model_.around(threads, direction);
    if (!around) {
      std::set<std::uint64_t> known;
      for (const results::CodecCost& cost : model_.codec) known.insert(cost.threads);
      throw Error(fmt::format(
          "the model of speed has no costs of the codec on {} threads, but on {}; time pipelines "
          "on as many with `fpsynth bench pipelines --model --threads {}`",
          threads, fmt::join(known, " and "), threads));
    }
    codec_[at] = *around;
    if (around->fixed < 0 || around->per_stage_second < 0 || around->per_out_byte < 0) {
      throw Error(fmt::format(
          "the model of speed has a negative cost of the codec ({}); calibrate it again "
          "with `fpsynth bench pipelines --model`",
          to_string(direction)));
    }
    most_ns_[at] = least.of(direction) > 0 ? model_.chunk_bytes / least.of(direction)
                                           : std::numeric_limits<double>::infinity();
  }
}

const results::StageCost* SpeedLimit::cost(synth::Component component, std::size_t word_bytes,
                                           Direction direction) const {
  const std::int32_t index = costs_[cost_index(component, word_bytes, direction)];
  return index < 0 ? nullptr : &model_.stages[static_cast<std::size_t>(index)];
}

void SpeedLimit::check(const synth::Space& space) const {
  const auto chunk_bytes = static_cast<double>(space.chunk_words * word_bytes_);
  if (model_.chunk_bytes != chunk_bytes) {
    throw Error(fmt::format(
        "the model of speed is of chunks of {} bytes, and those of the search have {}; search "
        "chunks of {} words of {} bytes",
        model_.chunk_bytes, chunk_bytes, synth::kChunkWords, word_bytes_));
  }
  const auto need = [&](const std::vector<synth::Component>& components, std::size_t word_bytes) {
    for (const synth::Component component : components) {
      if (!synth::family(component.family).identity) {
        after({}, component, word_bytes, {});
      }
    }
  };
  const unsigned first = space.cuts.front(), last = space.cuts.back(), stages = space.stages;
  if (stages > 1 && last > 0) need(space.components, word_bytes_);
  if (stages > 1 && first + 1 < stages) need(space.components, 1);
  if (last == stages) need(space.last, word_bytes_);
  if (first < stages) need(space.last, 1);
}

StageTimes SpeedLimit::after(const StageTimes& before, synth::Component component,
                             std::size_t word_bytes, const results::StageLoad& load) const {
  if (synth::family(component.family).identity) return before;
  const results::StageCost* const compress = cost(component, word_bytes, Direction::Compress);
  const results::StageCost* const decompress = cost(component, word_bytes, Direction::Decompress);
  if (!compress || !decompress) {
    throw Error(fmt::format(
        "the model of speed has no costs of {} on words of {} bytes; calibrate one of a search "
        "that has it with `fpsynth bench pipelines --model --runs DIR`",
        synth::to_string(component), word_bytes));
  }
  return {before.compress + compress->nanoseconds(load),
          before.decompress + decompress->nanoseconds(load)};
}

std::string SpeedLimit::identity() const {
  std::string text = fmt::format("{} {} {}", least_.text(), word_bytes_, model_.chunk_bytes);
  for (const results::StageCost& cost : model_.stages) {
    text += fmt::format(" {} {} {} {} {} {} {} {} {}", to_string(cost.component), cost.word_bytes,
                        to_string(cost.direction), cost.fixed, cost.per_in_byte, cost.ragged_fixed,
                        cost.ragged_per_in_byte, cost.per_out_byte, cost.per_root_control);
  }
  for (const results::CodecCost& cost : codec_) {
    text += fmt::format(" {} {} {}", cost.fixed, cost.per_stage_second, cost.per_out_byte);
  }
  return text;
}

bool SpeedLimit::fast_enough(const StageTimes& times, double out_bytes) const {
  return codec_[0].nanoseconds(times.compress, out_bytes) <= most_ns_[0] &&
         codec_[1].nanoseconds(times.decompress, out_bytes) <= most_ns_[1];
}

}  // namespace fpsynth::search
