#pragma once
// What a prelude adds to a generated project.

#include <cstddef>
#include <string>
#include <vector>

#include "synth/generator/texts.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::synth {

/// The headers that the codec of a prelude needs besides those of its pipeline, in order. None for
/// the empty prelude.
std::vector<std::string> prelude_headers(const Prelude& prelude);

/// The components with which containers of the prelude compress side data, from FORMAT.md; none if
/// no step has any.
std::vector<Component> side_components(const Prelude& prelude);

/// The values of the templates' keys that depend on whether there is a prelude.
Values prelude_values(const Method& method, std::size_t word_bytes);

}  // namespace fpsynth::synth
