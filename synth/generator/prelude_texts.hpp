#pragma once
// What a prelude adds to a generated project.

#include <cstddef>
#include <string>
#include <vector>

#include "synth/generator/texts.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::synth {

/// Where a codec's data are.
enum class CodecMemory { Host, Device };

/// Whether a step of the prelude takes values out of the words, which containers hold beside them.
bool has_side_data(const Prelude& prelude);

/// The headers that the codec of a prelude needs besides those of its pipeline, in order. None for
/// the empty prelude.
std::vector<std::string> prelude_headers(const Prelude& prelude, CodecMemory memory);

/// The components with which containers of the prelude compress side data, from FORMAT.md; none if
/// no step has any.
std::vector<Component> side_components(const Prelude& prelude);

/// The values of the templates' keys that depend on whether there is a prelude.
Values prelude_values(const Method& method, std::size_t word_bytes, CodecMemory memory);

}  // namespace fpsynth::synth
