#pragma once

#include <string_view>

namespace fpsynth::synth {

/// Throws UsageError if `name` cannot name a generated codec: it becomes a namespace and part of
/// function names in C and C++, of file names, and a target of CMake.
void check_codec_name(std::string_view name);

}  // namespace fpsynth::synth
