#pragma once

#include <string_view>

namespace fpsynth::synth {

/// Throws UsageError where `name` cannot be the name of a generated codec in every place where it
/// will stand: namespace and function names in C and C++, file names, a target of CMake.
void check_codec_name(std::string_view name);

}  // namespace fpsynth::synth
