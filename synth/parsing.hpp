#pragma once
// The common parts of the parsers of pipelines and of preludes.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "synth/pipeline.hpp"

namespace fpsynth::synth {

/// A part of a text, and where it begins.
struct Word {
  std::string_view text;
  std::size_t column;
};

/// The words of text[begin..), separated by blanks. A character of `separate` is a word of its own
/// even without blanks around it.
std::vector<Word> split(std::string_view text, std::size_t begin, std::string_view separate);

/// Throws ParseError: the reason, the text, and a mark under the wrong part of it.
[[noreturn]] void fail_at(std::string_view text, std::size_t column, std::size_t length,
                          const std::string& reason);

/// In capitals.
std::string upper(std::string_view text);

/// parse_pipeline() of text[begin..); errors show the whole text.
Pipeline parse_pipeline_after(std::string_view text, std::size_t begin);

}  // namespace fpsynth::synth
