#include "synth/generator/texts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "components/preludes/registry.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::synth {
namespace {

using preludes::Shape;

constexpr std::string_view kFormat = "runners/codec/format/FORMAT.md";
/// Its section on containers with a prelude, and those on what no generated codec reads.
constexpr std::string_view kVersion3 = "With a prelude: version 3";
constexpr std::string_view kForeign[] = {"With a description of its values: version 4",
                                         "In sections: version 5", "In HDF5"};

const PreludeTraits& traits_of(const PreludeStep& step) { return prelude_traits(step.kind); }

/// Texts for a shape: its name in prelude_step.md.in, and the header with its driver on the CPU.
struct ShapeTexts {
  Shape shape;
  std::string_view name, driver;
};
constexpr ShapeTexts kShapes[] = {
    {Shape::Lagged, "LAGGED", "lagged"},       {Shape::Mapped, "MAPPED", "step_driver"},
    {Shape::Ranked, "RANKED", "ranked"},       {Shape::Excepted, "EXCEPTED", "excepted"},
    {Shape::Selected, "SELECTED", "excepted"}, {Shape::Permuted, "PERMUTED", "permuted"},
    {Shape::Divided, "DIVIDED", "divided"},    {Shape::Matched, "MATCHED", "matched"},
};

std::string step_type(const PreludeStep& step) {
  const PreludeTraits& traits = traits_of(step);
  std::string numbers = traits.parametric ? fmt::format(", {}", step.parameter) : std::string();
  for (std::size_t i = 0; i < step.divisors.count; ++i) {
    numbers += fmt::format(", {}", step.divisors.of[i]);
  }
  return fmt::format("fpsynth::codec::StaticStep<fpsynth::preludes::{}{}>", traits.type, numbers);
}

/// A line of a README about a step.
std::string description(const PreludeStep& step) {
  const PreludeTraits& traits = traits_of(step);
  const auto is = [](bool condition) { return condition ? "1" : ""; };
  Values values = {{"STEP", to_string(step)},
                   {"PARAMETER", std::to_string(step.parameter)},
                   {"DIFFERENCE", is(traits.suffix == "s")},
                   {"SEVERAL", is(step.parameter != 1)}};
  for (const ShapeTexts& texts : kShapes) {
    values.emplace(texts.name, is(texts.shape == traits.shape));
  }
  return fill(source_text("synth/generator/templates/prelude_step.md.in"), values);
}

/// The step with the longest lag or row; null if none has one.
const PreludeStep* longest_lag(const Prelude& prelude) {
  const PreludeStep* longest = nullptr;
  for (const PreludeStep& step : prelude.steps) {
    const bool counts = preludes::idle_on_few(traits_of(step).shape);
    if (counts && (!longest || step.parameter > longest->parameter)) longest = &step;
  }
  return longest;
}

/// FORMAT.md of the containers that a codec of a method with this prelude reads.
std::string container_text(const Prelude& prelude) {
  std::string text(source_text(kFormat));
  const auto leave_out = [&](std::string_view title) {
    const std::string_view part = section(text, title);
    text.erase(static_cast<std::size_t>(part.data() - text.data()), part.size() + 1);
  };
  for (const std::string_view title : kForeign) leave_out(title);
  if (prelude.empty()) leave_out(kVersion3);
  return text;
}

/// True if a step has the shape.
bool has_shape(const Prelude& prelude, Shape shape) {
  return std::ranges::any_of(prelude.steps,
                             [&](const auto& step) { return traits_of(step).shape == shape; });
}

/// The definitions of the prelude's steps, from components/preludes/README.md.
std::string step_sections(const Prelude& prelude) {
  std::vector<std::string_view> titles;
  for (const PreludeStep& step : prelude.steps) {
    titles.push_back(traits_of(step).name);
    const Shape shape = traits_of(step).shape;
    // Its keys, of which RAT makes integers, or blocks without a divisor.
    if (shape == Shape::Ranked) {
      titles.push_back(preludes::Dict::name);
      titles.push_back(preludes::Rat::name);
    }
    if (shape == Shape::Ranked || shape == Shape::Selected) {
      titles.push_back(preludes::Ord::name);
      titles.push_back(preludes::Dec::name);  // its limits
    }
  }
  return sections("components/preludes/README.md", titles);
}

/// The memory that a codec on a device takes besides the original while it works.
struct DeviceMemory {
  unsigned copies = 0;  ///< of the words in its workspace
  // Bytes of other device memory that it allocates, at most, for a word.
  std::size_t compressing = 0, decompressing = 0;
  /// The most times that side data can have the original's size.
  std::size_t side = 0;

  DeviceMemory(const Prelude& prelude, std::size_t word_bytes) {
    for (std::size_t i = 0; i < prelude.steps.size(); ++i) {
      const Shape shape = traits_of(prelude.steps[i]).shape;
      copies = std::max(copies, preludes::reads_apart(shape) && i > 0 ? 2u : 1u);
      if (shape == Shape::Ranked) {
        // The hash table; keys, their differences and ranks, and what they are compressed to.
        compressing = std::max(compressing, 32 + 6 * word_bytes);
        decompressing = std::max(decompressing, 2 * word_bytes);
        side += 1;
      } else if (preludes::has_exceptions(shape)) {
        compressing = std::max(compressing, 8 + word_bytes);
        decompressing = std::max(decompressing, 8 + word_bytes);
        side += 1 + 8 / word_bytes;
      } else if (shape == Shape::Divided) {
        compressing = std::max(compressing, word_bytes);
        decompressing = std::max(decompressing, word_bytes);
      } else if (shape == Shape::Matched) {
        // Numbers of copies, of which there is one for 32 words at most; segments; the literals.
        compressing = std::max<std::size_t>(compressing, 1);
        decompressing = std::max(decompressing, 2 + word_bytes);
      }
    }
  }
};

}  // namespace

std::vector<Component> side_components(const Prelude& prelude) {
  std::vector<Component> components;
  if (!has_side_data(prelude)) return components;
  // The pipeline of all side data stands first, then that of ranks.
  std::string_view text = section(source_text(kFormat), kVersion3);
  for (unsigned pipelines = has_shape(prelude, Shape::Ranked) ? 2 : 1; pipelines > 0; --pipelines) {
    constexpr std::string_view kBefore = "with the pipeline `";
    text.remove_prefix(text.find(kBefore) + kBefore.size());
    std::ranges::copy(parse_pipeline(text.substr(0, text.find('`'))).stages,
                      std::back_inserter(components));
  }
  return components;
}

bool has_side_data(const Prelude& prelude) {
  return std::ranges::any_of(prelude.steps, [](const PreludeStep& step) {
    return preludes::takes_values(traits_of(step).shape);
  });
}

std::vector<std::string> prelude_headers(const Prelude& prelude, CodecMemory memory) {
  std::vector<std::string> headers;
  for (const PreludeStep& step : prelude.steps) {
    const PreludeTraits& traits = traits_of(step);
    headers.push_back(fmt::format("components/preludes/{}.hpp", lower(traits.name)));
    if (memory == CodecMemory::Device) continue;
    const auto texts = std::ranges::find(kShapes, traits.shape, &ShapeTexts::shape);
    headers.push_back(fmt::format("runners/codec/cpu/steps/{}.hpp", texts->driver));
  }
  const bool device = memory == CodecMemory::Device;
  if (has_shape(prelude, Shape::Ranked)) {
    headers.emplace_back(device ? "runners/codec/gpu/preludes/static_keys.hpp"
                                : "runners/codec/format/key_coding.hpp");
  }
  if (has_side_data(prelude)) {
    headers.emplace_back(device ? "runners/codec/gpu/preludes/static_side.hpp"
                                : "runners/codec/cpu/static_side_codec.hpp");
  }
  if (!prelude.empty()) {
    headers.emplace_back(device ? "runners/codec/gpu/preludes/static_prelude_codec.hpp"
                                : "runners/codec/cpu/static_prelude_codec.hpp");
  }
  return headers;
}

Values prelude_values(const Method& method, std::size_t word_bytes) {
  const Prelude& prelude = method.prelude;
  const auto is = [](bool condition) { return condition ? "1" : ""; };
  const DeviceMemory memory(prelude, word_bytes);
  const std::size_t least = 3 + memory.copies + memory.side;
  const PreludeStep* const lag = longest_lag(prelude);
  std::string types, descriptions;
  for (const PreludeStep& step : prelude.steps) {
    types += fmt::format(",\n    {}", step_type(step));
    descriptions += description(step);
  }
  return {
      {"METHOD", to_string(method)},
      {"METHOD_KIND", prelude.empty() ? "pipeline" : "method"},
      {"PRELUDE", prelude.empty() ? std::string() : to_string(prelude)},
      {"STEP_TYPES", types},
      {"STEP_DESCRIPTIONS", descriptions},
      {"STEP_SECTIONS", step_sections(prelude)},
      {"CONTAINER", container_text(prelude)},
      {"SIDE_DATA", is(has_side_data(prelude))},
      {"SORTS", is(has_shape(prelude, Shape::Ranked))},
      {"FINDS", is(has_shape(prelude, Shape::Matched))},
      {"LONGEST_LAG", lag ? std::to_string(lag->parameter) : ""},
      {"LONGEST_STEP", lag ? to_string(*lag) : ""},
      {"TWO_COPIES", is(memory.copies == 2)},
      {"COMPRESSING_BYTES", std::to_string(memory.compressing)},
      {"DECOMPRESSING_BYTES", std::to_string(memory.decompressing)},
      {"LEAST_MEMORY", std::to_string(least)},
      {"MOST_MEMORY", std::to_string(least + (memory.compressing + word_bytes - 1) / word_bytes)}};
}

}  // namespace fpsynth::synth
