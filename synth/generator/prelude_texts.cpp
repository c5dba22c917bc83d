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
                                         "In sections: version 5", "Compact: versions 6 and 8",
                                         "In HDF5"};

const PreludeTraits& traits_of(const PreludeStep& step) { return prelude_traits(step.kind); }

/// Texts for a shape: its name in prelude_step.md.in, and the header with its driver on the CPU.
struct ShapeTexts {
  Shape shape;
  std::string_view name, driver;
};
constexpr ShapeTexts kShapes[] = {
    {Shape::Lagged, "LAGGED", "lagged"},          {Shape::Mapped, "MAPPED", "step_driver"},
    {Shape::Ranked, "RANKED", "ranked"},          {Shape::Excepted, "EXCEPTED", "excepted"},
    {Shape::Selected, "SELECTED", "excepted"},    {Shape::Permuted, "PERMUTED", "permuted"},
    {Shape::Divided, "DIVIDED", "divided"},       {Shape::Matched, "MATCHED", "matched"},
    {Shape::Predicted, "PREDICTED", "predicted"},
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
                   {"SEVERAL", is(step.parameter != 1)},
                   {"SIGNIFICANT", is(step.kind == preludes::Sig::wire)},
                   {"TURNED", is(step.kind == preludes::Rev::wire)},
                   {"SINGLES", is(step.kind == preludes::Sig::wire && step.parameter == 0)}};
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
    if (shape == Shape::Matched) titles.push_back(preludes::Match::name);
    if (shape == Shape::Ranked || shape == Shape::Selected) {
      titles.push_back(preludes::Ord::name);
      titles.push_back(preludes::Dec::name);  // its limits
    }
  }
  return sections("components/preludes/README.md", titles);
}

}  // namespace

std::vector<Component> side_components(const Prelude& prelude) {
  std::vector<Component> components;
  if (!has_side_data(prelude)) return components;
  // The pipeline of all side data stands first, then that of ranks, and that of rests.
  std::string_view text = section(source_text(kFormat), kVersion3);
  for (const Shape shape : {Shape::Lagged, Shape::Ranked, Shape::Selected}) {
    constexpr std::string_view kBefore = "with the pipeline `";
    text.remove_prefix(text.find(kBefore) + kBefore.size());
    if (shape != Shape::Lagged && !has_shape(prelude, shape)) continue;
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

std::vector<std::string> prelude_headers(const Prelude& prelude, bool cuda) {
  std::vector<std::string> headers;
  for (const PreludeStep& step : prelude.steps) {
    const PreludeTraits& traits = traits_of(step);
    headers.push_back(fmt::format("components/preludes/{}.hpp", lower(traits.name)));
    if (cuda) continue;
    const auto texts = std::ranges::find(kShapes, traits.shape, &ShapeTexts::shape);
    headers.push_back(fmt::format("runners/codec/cpu/steps/{}.hpp", texts->driver));
  }
  if (has_shape(prelude, Shape::Ranked))
    headers.emplace_back("runners/codec/format/key_coding.hpp");
  if (has_shape(prelude, Shape::Selected))
    headers.emplace_back("runners/codec/format/rest_coding.hpp");
  if (has_side_data(prelude)) headers.emplace_back("runners/codec/cpu/static_side_codec.hpp");
  if (!prelude.empty()) {
    headers.emplace_back(cuda ? "runners/codec/gpu/preludes/static_prelude_codec.hpp"
                              : "runners/codec/cpu/static_prelude_codec.hpp");
  }
  return headers;
}

Values prelude_values(const Method& method) {
  const Prelude& prelude = method.prelude;
  const auto is = [](bool condition) { return condition ? "1" : ""; };
  const PreludeStep* const lag = longest_lag(prelude);
  std::string types, descriptions;
  bool apart = false;  // a step that is not the first one does not work in place
  for (const PreludeStep& step : prelude.steps) {
    types += fmt::format(",\n    {}", step_type(step));
    descriptions += description(step);
    apart =
        apart || (&step != prelude.steps.data() && preludes::reads_apart(traits_of(step).shape));
  }
  return {{"METHOD", to_string(method)},
          {"METHOD_KIND", prelude.empty() ? "pipeline" : "method"},
          {"PRELUDE", prelude.empty() ? std::string() : to_string(prelude)},
          {"STEP_TYPES", types},
          {"STEP_DESCRIPTIONS", descriptions},
          {"STEP_SECTIONS", step_sections(prelude)},
          {"CONTAINER", container_text(prelude)},
          {"SIDE_DATA", is(has_side_data(prelude))},
          {"LONGEST_LAG", lag ? std::to_string(lag->parameter) : ""},
          {"LONGEST_STEP", lag ? to_string(*lag) : ""},
          {"TWO_COPIES", is(apart)}};
}

}  // namespace fpsynth::synth
