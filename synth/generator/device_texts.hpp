#pragma once
// What the method of a generated CUDA project adds to its texts.

#include <cstddef>
#include <string_view>

#include "synth/generator/texts.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::synth {

/// The values of the keys that only the templates of CUDA projects have. They differ most in
/// whether calls wait for their stream, as those with side data do.
Values device_values(const Method& method, std::size_t word_bytes, std::string_view name);

}  // namespace fpsynth::synth
