#include "synth/generator/prelude_texts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "synth/generator/sources.hpp"

namespace fpsynth::synth {
namespace {

using preludes::Shape;

constexpr std::string_view kFormat = "runners/codec/format/FORMAT.md";
/// Its section on containers with a prelude.
constexpr std::string_view kVersion3 = "With a prelude: version 3";

const PreludeTraits& traits_of(const PreludeStep& step) { return prelude_traits(step.kind); }

/// The header with the driver of a shape on the CPU.
std::string driver_header(Shape shape) {
  std::string_view name = "excepted";
  if (shape == Shape::Lagged) name = "lagged";
  if (shape == Shape::Mapped) name = "step_driver";
  if (shape == Shape::Ranked) name = "ranked";
  return fmt::format("runners/codec/cpu/steps/{}.hpp", name);
}

std::string step_type(const PreludeStep& step) {
  const PreludeTraits& traits = traits_of(step);
  const std::string parameter =
      traits.parametric ? fmt::format(", {}", step.parameter) : std::string();
  return fmt::format("fpsynth::codec::StaticStep<fpsynth::preludes::{}{}>", traits.type, parameter);
}

/// The declaration of the codec; with a prelude, one of its steps per line.
std::string codec_type(const Prelude& prelude, CodecMemory memory) {
  const bool device = memory == CodecMemory::Device;
  if (prelude.empty()) {
    return device ? "using Codec = fpsynth::codec::StaticDeviceCodec<Device, "
                    "fpsynth::components::Pipeline>;\n"
                  : "using Codec =\n    fpsynth::codec::StaticCodec<fpsynth::components::Pipeline, "
                    "fpsynth::teams::NativeTeam>;\n";
  }
  std::string text = "using Codec = fpsynth::codec::";
  if (device) {
    text += "StaticPreludeDeviceCodec<\n    Device, fpsynth::components::Pipeline";
  } else {
    text += "StaticPreludeCodec<\n    fpsynth::components::Pipeline, fpsynth::teams::NativeTeam";
  }
  for (const PreludeStep& step : prelude.steps) {
    text.append(",\n    ").append(step_type(step));
  }
  return text + ">;\n";
}

/// What a step does, for a README.
std::string sentence(const PreludeStep& step) {
  const PreludeTraits& traits = traits_of(step);
  switch (traits.shape) {
    case Shape::Lagged:
      return fmt::format("the {} each word and the word {} before it, across all chunks",
                         traits.suffix == "s" ? "difference of" : "XOR of", step.parameter);
    case Shape::Mapped:
      return "integers in the order of the floating-point numbers";
    case Shape::Ranked:
      return "the rank of each word among the distinct ones, which are stored beside the words";
    case Shape::Excepted:
      break;
  }
  return fmt::format(
      "decimals of {} {} as integers; other words are stored beside them, so that\n  every bit "
      "pattern comes back",
      step.parameter, step.parameter == 1 ? "digit" : "digits");
}

std::string readme_part(const Prelude& prelude, CodecMemory memory) {
  if (prelude.empty()) return {};
  std::string text =
      "\n## The prelude\n\nThe steps in front of the `/` map all words of an original, before they "
      "are cut into chunks:\n\n";
  for (const PreludeStep& step : prelude.steps) {
    text += fmt::format("- `{}`: {}\n", to_string(step), sentence(step));
  }
  if (memory == CodecMemory::Device) return text;
  text +=
      "\nThreads share this work, too, and its result does not depend on their number. It needs "
      "the "
      "whole\noriginal at once: if a program compresses data in parts, each part has a prelude of "
      "its own, and a\nword that is nearer to its beginning than a lag stays as it is. ";
  text += "Compression takes as much working\nmemory as the original has bytes";
  if (has_side_data(prelude)) {
    text +=
        ", and a table of the values that are stored beside the words;\ndecompression takes that "
        "of those values";
  }
  return text + ".\n";
}

/// The step with the longest lag; null if none has one.
const PreludeStep* longest_lag(const Prelude& prelude) {
  const PreludeStep* longest = nullptr;
  for (const PreludeStep& step : prelude.steps) {
    const bool lagged = traits_of(step).shape == Shape::Lagged;
    if (lagged && (!longest || step.parameter > longest->parameter)) longest = &step;
  }
  return longest;
}

std::string hdf5_part(const Prelude& prelude) {
  if (prelude.empty()) return {};
  std::string text =
      "\nThe filter sees one HDF5 chunk at a time, and so does the prelude: it works within one "
      "chunk, and\nchunks can be read alone.\n";
  if (const PreludeStep* const step = longest_lag(prelude)) {
    text += fmt::format(
        "Lags count words in the order in which they are in a chunk, and `{}` does\nnothing in "
        "chunks of {} words or fewer: choose chunks of several times as many (`CHUNK=`).\n",
        to_string(*step), step->parameter);
  }
  if (has_side_data(prelude)) {
    text +=
        "Values beside the words are stored in each chunk: the larger the chunks (`CHUNK=`), the "
        "fewer times.\n";
  }
  return text;
}

/// FORMAT.md of containers; without a prelude, without their section.
std::string container_text(const Prelude& prelude) {
  std::string text(source_text(kFormat));
  if (!prelude.empty()) return text;
  const std::string_view version3 = section(text, kVersion3);
  text.erase(static_cast<std::size_t>(version3.data() - text.data()), version3.size() + 1);
  return text;
}

/// The definitions of the prelude's steps, each once, from components/preludes/README.md.
std::string format_part(const Prelude& prelude, std::size_t word_bytes) {
  if (prelude.empty()) return {};
  std::string text = fmt::format(
      "# Preludes\n\nThis section defines the steps of `{}`, byte for byte. w is the number of "
      "bits "
      "in a word: {}.\nEvery step is the identity when decoded after encoding, for every number of "
      "words from 0 up and\nevery bit pattern.\n\n",
      to_string(prelude), 8 * word_bytes);
  std::set<std::string> written;
  const auto add = [&](std::string_view title) {
    if (!written.emplace(title).second) return;
    const std::string_view part = section(source_text("components/preludes/README.md"), title);
    text.append(part.substr(0, part.find_last_not_of('\n') + 1)).append("\n\n");
  };
  for (const PreludeStep& step : prelude.steps) {
    add(traits_of(step).name);
    // What orders the keys.
    if (traits_of(step).shape == Shape::Ranked) add(preludes::Ord::name);
  }
  return text;
}

}  // namespace

std::vector<Component> side_components(const Prelude& prelude) {
  if (!has_side_data(prelude)) return {};
  constexpr std::string_view kBefore = "with the pipeline `";
  std::string_view text = section(source_text(kFormat), kVersion3);
  text.remove_prefix(text.find(kBefore) + kBefore.size());
  return parse_pipeline(text.substr(0, text.find('`'))).stages;
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
    headers.push_back(driver_header(traits.shape));
  }
  const bool device = memory == CodecMemory::Device;
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

Values prelude_values(const Method& method, std::size_t word_bytes, CodecMemory memory) {
  const Prelude& prelude = method.prelude;
  const bool any = !prelude.empty();
  // The text of a method can be too long for one line of code: the prelude has one of its own.
  const auto line = [&](std::string_view before, std::string_view after) {
    return any ? fmt::format("{}{} /{}\n", before, to_string(prelude), after) : std::string();
  };
  return {{"METHOD", to_string(method)},
          {"METHOD_KIND", any ? "method" : "pipeline"},
          {"PRELUDE_LINE_C", line(" *     ", "")},
          {"PRELUDE_LINE_CPP", line("//     ", "")},
          {"PRELUDE_LINE_STRING", line("    \"", " \"")},
          {"CODEC_TYPE", codec_type(prelude, memory)},
          {"OTHER_METHOD", any ? "prelude, pipeline" : "pipeline"},
          {"WORKING_MEMORY", any ? "as much as the original,\n   * and some ten KiB per thread"
                                 : "some ten KiB per thread"},
          {"CONTAINER", container_text(prelude)},
          {"PRELUDE_FORMAT", format_part(prelude, word_bytes)},
          {"PRELUDE_README", readme_part(prelude, memory)},
          {"PRELUDE_HDF5", hdf5_part(prelude)}};
}

}  // namespace fpsynth::synth
