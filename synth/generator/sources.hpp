#pragma once
// The texts of which generated projects consist, embedded in the program at build time: the headers
// of the library that a codec needs, and the templates beside this file.

#include <span>
#include <string_view>

namespace fpsynth::synth {

struct Source {
  std::string_view path;  ///< from the root of the project: "components/ze/ze.hpp"
  std::string_view text;
};

extern const std::span<const Source> kSources;

/// The text of a path; throws std::out_of_range naming it where there is none.
std::string_view source_text(std::string_view path);

}  // namespace fpsynth::synth
