#pragma once
// The texts from which generated projects are made, embedded in the program at build time: the
// library's headers that a codec needs, and the templates in this directory.

#include <span>
#include <string_view>

namespace fpsynth::synth {

struct Source {
  std::string_view path;  ///< from the root of the project: "components/ze/ze.hpp"
  std::string_view text;
};

extern const std::span<const Source> kSources;

/// The text of a path. Throws std::out_of_range, which names the path, if it is not embedded.
std::string_view source_text(std::string_view path);

}  // namespace fpsynth::synth
